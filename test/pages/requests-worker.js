fetch('/ads/worker.js');
