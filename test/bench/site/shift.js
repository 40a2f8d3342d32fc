// Pushes the text down twice: at its first paint, and by an image that comes later.
const push = (element) => document.getElementById('late').append(element);

new PerformanceObserver((_, observer) => {
  observer.disconnect();
  const banner = document.createElement('div');
  banner.style.cssText = 'height: 120px; background: #fd6; color: #aa8';
  banner.textContent = 'I come after the first paint.';
  push(banner);
  const image = document.createElement('img'); // without a text or a size
  image.src = 'disc.svg';
  setTimeout(push, 500, image);
}).observe({ type: 'paint', buffered: true });
