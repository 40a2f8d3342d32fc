// Each task computes the same, so its CPU time is the same beside all other programs.
const work = () => {
  let sum = 0;
  for (let i = 0; i < 16e6; i++) sum += Math.sqrt(i % 1000);
  return sum;
};
let left = 10;
const next = () => {
  work();
  if (--left > 0) setTimeout(next, 5);
};
next();
