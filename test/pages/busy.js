// The shift.
const gap = document.createElement('div');
gap.style.cssText = 'height: 25vh; font-size: 3rem';
gap.textContent = 'I push it down.';
document.body.prepend(gap);

// The long task, in the frame after the one that shows the shift.
const work = () => {
  const end = performance.now() + 400;
  while (performance.now() < end);
  document.body.style.background = 'gold';
};
requestAnimationFrame(() => requestAnimationFrame(work));
