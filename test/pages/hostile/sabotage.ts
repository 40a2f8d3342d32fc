import { type HostilePage, script } from '../../support/hostile-server.ts';

const no = '() => { throw new Error("no") }';

/** Pages that break functions that an auditor uses. Most of them change no result. */
export const sabotage: Record<string, HostilePage> = {
  'break-console': {
    is: 'a page that breaks the console',
    verdicts: ['succeeded'],
    serve: script(`for (const name of Object.keys(console)) { delete console[name]; console[name] = ${no} }`),
  },
  'break-performance-now': {
    is: 'a page whose performance clock stands still',
    verdicts: ['succeeded'],
    serve: script(`
      performance.now = () => 42;
      for (const name of ['mark', 'measure', 'getEntries', 'getEntriesByName', 'getEntriesByType']) performance[name] = ${no};
    `),
  },
  'break-performance-null': {
    is: 'a page that deletes window.performance',
    verdicts: ['succeeded'],
    serve: script('window.performance = null'),
  },
  'break-date': {
    is: 'a page whose clock says 1970',
    verdicts: ['succeeded'],
    serve: script('Date = class extends Date { constructor() { super(0) } static now() { return 0 } }'),
  },
  'break-promise': {
    is: 'a page whose promises never settle',
    alone: true,
    verdicts: ['page-hung'],
    attempts: 2, // the second one skips the parts that may hang
    serve: script(`
      const Native = Promise;
      Native.prototype.then = Native.prototype.catch = Native.prototype.finally = () => new Native(() => {});
      Promise = class extends Native { constructor() { super(() => {}) } };
    `),
  },
  'break-native-copies': {
    is: 'a page that overwrites the native functions that Lighthouse saves',
    not9: true, // its own scripts use these functions, so it fails with `internal`
    verdicts: ['succeeded'],
    warning: /unminified-css/,
    serve: script(`
      for (const name of ['Promise', 'URL', 'Performance', 'Fetch']) window['__native' + name] = ${no};
      window.__ElementMatches = ${no};
    `),
  },
  'break-json': {
    is: 'a page that breaks JSON',
    verdicts: ['succeeded'],
    serve: script(`JSON.stringify = () => '{}'; JSON.parse = ${no}`),
  },
  'break-like-prototype': {
    is: 'a page that extends built-in prototypes as old libraries did',
    verdicts: ['succeeded'],
    serve: script(`
      Array.prototype.toJSON = function () { return '[' + this.map((each) => JSON.stringify(each)).join(', ') + ']' };
      String.prototype.toJSON = function () { return '"' + this + '"' };
      Array.from = (list) => { const all = []; for (let n = 0; n < list.length; n++) all.push(list[n]); return all };
      Array.prototype.find = function (is) { for (let n = 0; n < this.length; n++) if (is(this[n], n)) return this[n] };
      window.Element = Object.assign((tag) => document.createElement(tag), { prototype: Element.prototype });
    `),
  },
  'break-element': {
    is: 'a page whose element methods throw',
    verdicts: ['succeeded'],
    serve: script(`
      const names = ['matches', 'getBoundingClientRect', 'getAttribute', 'querySelectorAll', 'closest'];
      for (const name of names) Element.prototype[name] = ${no};
    `),
  },
  'break-array': {
    is: 'a page whose array methods throw',
    not9: true, // its own scripts use these functions, so it fails with `internal`
    verdicts: ['succeeded'],
    warning: /full-page screenshot/,
    serve: script(
      `for (const name of ['map', 'filter', 'push', 'forEach', Symbol.iterator]) Array.prototype[name] = ${no}`,
    ),
  },
  'break-object-prototype': {
    is: 'a page that extends Object.prototype',
    verdicts: ['succeeded'],
    serve: script(`
      Object.prototype.toJSON = () => 'none';
      Object.prototype.junk = 1;
      Object.defineProperty(Object.prototype, 'value', { set() {}, get() {} });
    `),
  },
  'break-raf': {
    is: 'a page without animation frames',
    alone: true,
    verdicts: ['page-hung', 'succeeded'],
    serve: script('requestAnimationFrame = () => 1'),
  },
  'break-computed-style': {
    is: 'a page whose getComputedStyle throws',
    verdicts: ['succeeded'],
    serve: script(`getComputedStyle = ${no}`),
  },
  'break-dpr': {
    is: 'a page whose window reports no size',
    verdicts: ['succeeded'],
    serve: script(
      `for (const name of ['devicePixelRatio', 'innerWidth', 'innerHeight']) Object.defineProperty(window, name, { value: 0 })`,
    ),
  },
};
