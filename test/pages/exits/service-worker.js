addEventListener('message', ({ data }) => fetch(data, { mode: 'no-cors' }));
