const end = performance.now() + 400;
while (performance.now() < end);
const gap = document.createElement('div');
gap.style.cssText = 'height: 25vh; background: #246; color: #fff; font-size: 3rem';
gap.textContent = 'I push it down.';
document.body.prepend(gap);
