// A moderate script: some tens of milliseconds on a processor of today.
let sum = 0;
for (let i = 0; i < 4e7; i++) sum += i % 7;
document.getElementById('count').textContent = sum;
