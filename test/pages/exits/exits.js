/*
 * Tries every way in which a page can send something to the addresses of /tries.json. Each way requests /x/<its name>. If
 * the addresses name no ways, the page tries all. It reports to its server which ways it tried, and which got a response.
 */
const report = (text) => fetch('/report', { method: 'POST', body: text, keepalive: true });
const add = (tag, attributes, parent = document.body) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent.append(element);
  return element;
};
const link = (rel, more) => (href) => add('link', { rel, href, ...more }, document.head);
const style = (css) => (url) => {
  add('style', {}, document.head).textContent = css(url);
};
const frame = (html) => (url) => add('iframe', { srcdoc: html(url) });
const inWorker = (code) => (url) => {
  const blob = URL.createObjectURL(new Blob([code(JSON.stringify(url))], { type: 'text/javascript' }));
  return new Worker(blob);
};
const secured = (url) => url.replace(/^http:/, 'https:');
const bareOf = (url) => new URL(url).hostname;
const viaRedirect = (url, status = 302) => `/redirect?status=${status}&to=${encodeURIComponent(url)}`;
const peer = (urls, more) => {
  const connection = new RTCPeerConnection({
    iceServers: [{ urls, ...more }],
    iceCandidatePoolSize: 2,
  });
  connection.createDataChannel('exit');
  connection.createOffer().then((offer) => connection.setLocalDescription(offer));
};
const turn = { username: 'a', credential: 'b' };

/** Ways that send one HTTP request to an address. */
const ways = {
  // Elements
  img: (url) => add('img', { src: url, alt: '' }),
  srcset: (url) => add('img', { srcset: `${url} 2x, ${url} 1x`, alt: '' }),
  'input-image': (url) => add('input', { type: 'image', src: url, alt: '' }),
  'body-background': (url) => frame((to) => `<body background="${to}">`)(url),
  'svg-image': (url) => {
    document.body.insertAdjacentHTML('beforeend', `<svg><image href="${url}" width="9" height="9"/></svg>`);
  },
  script: (url) => add('script', { src: url }),
  module: (url) => add('script', { src: url, type: 'module' }),
  import: (url) => import(url),
  'import-map': frame(
    (url) =>
      `<script type="importmap">{"imports":{"mapped":"${url}"}}</script><script type="module">import "mapped";</script>`,
  ),
  iframe: (url) => add('iframe', { src: url }),
  srcdoc: frame((url) => `<img src="${url}">`),
  object: (url) => add('object', { data: url }),
  embed: (url) => add('embed', { src: url }),
  video: (url) => add('video', { src: url, preload: 'auto' }),
  poster: (url) => add('video', { poster: url }),
  track: (url) => {
    const video = add('video', { crossorigin: 'anonymous' });
    add('track', { src: url, default: '', kind: 'subtitles' }, video);
    video.textTracks[0].mode = 'showing';
  },
  audio: (url) => new Audio(url).load(),
  base: frame((url) => `<base href="${url.replace(/[^/]*$/, '')}"><img src="base">`),

  // Links
  stylesheet: link('stylesheet'),
  manifest: link('manifest', { crossorigin: 'use-credentials' }),
  preload: link('preload', { as: 'image' }),
  modulepreload: link('modulepreload'),
  prefetch: link('prefetch'),

  // Styles
  'css-import': style((url) => `@import url("${url}");`),
  'css-background': style((url) => `h1 { background: url("${url}"); }`),
  'css-content': style((url) => `h1::after { content: url("${url}"); }`),
  'css-image-set': style((url) => `p { background: image-set(url("${url}") 1x); }`),
  'css-mask': style((url) => `h1 { mask-image: url("${url}"); }`),
  'css-list': (url) => add('li', { style: `list-style-image: url("${url}")` }),
  font: (url) => {
    style((to) => `@font-face { font-family: "${to}"; src: url("${to}"); }`)(url);
    add('p', { style: `font-family: "${url}"` }).textContent = 'Set in it';
  },
  'font-face': (url) => new FontFace('f', `url("${url}")`).load(),

  // Scripts
  fetch: (url) => fetch(url).then(() => report(`answered ${url}`)),
  'fetch-no-cors': (url) => fetch(url, { mode: 'no-cors' }).then(() => report(`answered ${url}`)),
  'fetch-keepalive': (url) => fetch(url, { keepalive: true, method: 'POST', body: 'x' }),
  xhr: (url) => {
    const request = new XMLHttpRequest();
    request.open('GET', url);
    request.onload = () => report(`answered ${url}`);
    request.send();
  },
  beacon: (url) => navigator.sendBeacon(url, 'x'),
  'event-source': (url) => new EventSource(url),
  ping: (url) => add('a', { ping: url, href: '#here' }).click(),
  websocket: (url) => {
    new WebSocket(url.replace(/^http/, 'ws')).onopen = () => report(`answered ${url}`);
  },
  worker: inWorker((url) => `fetch(${url}, { mode: 'no-cors' })`),
  'worker-import': inWorker((url) => `importScripts(${url})`),
  'worker-websocket': inWorker((url) => `new WebSocket(${url}.replace(/^http/, 'ws'))`),
  'nested-worker': inWorker(
    (url) => `new Worker(URL.createObjectURL(new Blob(["fetch('" + ${url} + "', { mode: 'no-cors' })"])))`,
  ),
  'shared-worker': (url) => {
    new SharedWorker(`shared-worker.js?${encodeURIComponent(url)}`, url);
  },

  // Navigations
  'form-get': (url) => submit(url, 'GET'),
  'form-post': (url) => submit(url, 'POST'),
  'frame-location': frame((url) => `<script>location.href = ${JSON.stringify(url)}</script>`),
  'frame-refresh': frame((url) => `<meta http-equiv="refresh" content="0;url=${url}">`),
  popup: (url) => void open(url, '_blank'),
  'link-blank': (url) => add('a', { href: url, target: '_blank', rel: 'noopener' }).click(),
  download: (url) => {
    const here = add('iframe', {}).contentDocument.body;
    add('a', { href: `${url}?type=application/zip`, download: 'x.zip' }, here).click();
  },

  // Redirects by an allowed server
  'redirect-fetch': (url) => fetch(viaRedirect(url), { mode: 'no-cors' }),
  'redirect-307': (url) => fetch(viaRedirect(url, 307), { mode: 'no-cors', method: 'POST', body: 'x' }),
  'redirect-img': (url) => add('img', { src: viaRedirect(url), alt: '' }),
  'redirect-iframe': (url) => add('iframe', { src: viaRedirect(url) }),
  'redirect-script': (url) => add('script', { src: viaRedirect(url, 308) }),

  // Response headers
  'source-map': (url) => add('script', { src: `/framed?map=${encodeURIComponent(url)}` }),
  'csp-report': (url) => add('iframe', { src: `/framed?csp=${encodeURIComponent(url)}` }),
  'link-header': (url) => add('iframe', { src: `/framed?link=${encodeURIComponent(url)}` }),
  'refresh-header': (url) => add('iframe', { src: `/framed?refresh=${encodeURIComponent(url)}` }),
};

/** Ways that only a secure page has, over TLS or on loopback. */
const securedWays = {
  'fetch-later': (url) => fetchLater(url, { activateAfter: 0 }),
  'speculation-prefetch': (url) => {
    const rules = { prefetch: [{ source: 'list', urls: [url], eagerness: 'immediate' }] };
    add('script', { type: 'speculationrules' }).textContent = JSON.stringify(rules);
  },
  'speculation-prerender': (url) => {
    const rules = { prerender: [{ source: 'list', urls: [url], eagerness: 'immediate' }] };
    add('script', { type: 'speculationrules' }).textContent = JSON.stringify(rules);
  },
  'service-worker': async (url) => {
    await navigator.serviceWorker.register('service-worker.js');
    const { active } = await navigator.serviceWorker.ready;
    active.postMessage(url);
  },
  'audio-worklet': (url) => new OfflineAudioContext(1, 1, 44100).audioWorklet.addModule(url),
  'paint-worklet': (url) => CSS.paintWorklet.addModule(url),
};

/** Ways that send no HTTP request, or one whose path the page can't choose. None may send anything. */
const mute = {
  icon: link('icon'), // a browser without a window loads no icon
  'dns-prefetch': () => link('dns-prefetch')('//prefetched.example.org'),
  'dns-prefetch-given': (url) => link('dns-prefetch')(`//${bareOf(url)}`),
  preconnect: (url) => link('preconnect')(url),
  'stun-literal': (url) => peer(`stun:${bareOf(url)}:3478`),
  'ice-server': (url) => peer(url, turn),
  'stun-name': () => peer('stun:stun.example.org:3478'),
  'turn-udp': (url) => peer(`turn:${bareOf(url)}:3478?transport=udp`, turn),
  'turn-tcp': (url) => peer(`turn:${bareOf(url)}:80?transport=tcp`, turn),
  'turn-name': () => peer('turn:turn.example.org:3478?transport=tcp', turn),
  'turns-tcp': (url) => peer(`turns:${bareOf(url)}:443?transport=tcp`, turn),
  'web-transport': (url) => new WebTransport(`https://${bareOf(url)}:443/x/web-transport`).ready,
  'web-transport-pinned': (url) =>
    new WebTransport(`https://${bareOf(url)}:8443/x/web-transport`, {
      serverCertificateHashes: [{ algorithm: 'sha-256', value: new Uint8Array(32) }],
    }).ready,
  'issuer-fetch': () => fetch('https://issued.example.com/', { mode: 'no-cors' }),
  identity: (url) =>
    navigator.credentials.get({ identity: { providers: [{ configURL: secured(url), clientId: 'a' }] } }),
  payment: (url) => new PaymentRequest([{ supportedMethods: secured(url) }], total).canMakePayment(),
  'tcp-socket': (url) => new TCPSocket(bareOf(url), 9001).opened,
  'udp-socket': (url) => new UDPSocket({ remoteAddress: bareOf(url), remotePort: 9001 }).opened,
  ftp: (url) => add('img', { src: url.replace(/^http/, 'ftp'), alt: '' }),
  file: () => add('img', { src: 'file:///etc/passwd', alt: '' }),
};
const total = { total: { label: 'all', amount: { currency: 'EUR', value: '1' } } };

const submit = (action, method) => {
  const target = `f${Math.random()}`;
  add('iframe', { name: target });
  add('form', { action, method, target }).submit();
};

const attempt = async (way, url) => {
  try {
    await way(url);
  } catch {
    // This browser refuses the way or lacks it. The recorded packets show the difference.
  }
};

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const go = async () => {
  const { tries, loads } = await (await fetch('/tries.json')).json();
  const ports = await (await fetch('/own-ports')).json(); // the audit's proxy, and the browser's debugging port
  const offered = { ...ways, ...(isSecureContext && securedWays) };
  const own = ports.map((port) => ({ target: `http://127.0.0.1:${port}`, names: ['fetch-no-cors', 'websocket'] }));
  report(`own ports: ${ports.length}`);
  for (const { target, names } of [...tries, ...own]) {
    const chosen = names ?? [...Object.keys(offered), ...Object.keys(mute)];
    if (!names) report(`tried ${Object.keys(offered).join(' ')}`);
    for (const name of chosen) attempt({ ...offered, ...mute }[name], `${target}/x/${name}`);
    await pause(names ? 50 : 500);
  }
  for (const { name, url } of loads) attempt(ways[name] ?? mute[name], url);
  report('done');
};
go();
