import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { expect, test } from 'vitest';
import { recording } from '../../clients/cli/flags/flag-values.ts';
import { messageAt } from '../../clients/web/requests/field-messages.ts';
import { Interactions } from '../../shared/interactions/interactions-schemas.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('recordings');
let files = 0;
const fileOf = (content: object): string => {
  const name = join(folder, `${files++}.json`);
  writeFileSync(name, JSON.stringify(content));
  return name;
};

const viewport = { width: 412, height: 823, deviceScaleFactor: 2, isMobile: true, hasTouch: true, isLandscape: false };
const opens = { type: 'navigation', url: 'https://shop.example/cart', title: 'Cart' };
const start = [
  { type: 'setViewport', ...viewport },
  { type: 'navigate', url: 'https://shop.example/', assertedEvents: [{ ...opens, url: 'https://shop.example/' }] },
];
const five = (name: string, id: string) => [
  [`aria/${name}`],
  [id],
  [`xpath///*[@id="${id.slice(1)}"]`],
  [`pierce/${id}`],
  [`text/${name}`],
];

const others = (name: string, id: string) => five(name, id).flat().slice(1);

/** Shapes of recordings that DevTools, its extensions and people write, and the steps that they become. */
const shapes: Record<string, [recording: object, steps: object[]]> = {
  'a shop with five selectors for each element and asserted navigations': [
    {
      title: 'Buy',
      steps: [
        ...start,
        {
          type: 'click',
          target: 'main',
          selectors: five('Add', '#add'),
          offsetX: 7.5,
          offsetY: 3,
          assertedEvents: [opens],
        },
        { type: 'click', target: 'main', selectors: five('Order', '#order'), offsetX: 1, offsetY: 1 },
      ],
    },
    [
      { click: 'aria/Add', or: others('Add', '#add'), offset: { x: 7.5, y: 3 } },
      { click: 'aria/Order', or: others('Order', '#order'), offset: { x: 1, y: 1 } },
    ],
  ],
  'an attribute for selectors, and elements in shadow roots': [
    {
      title: 'Form',
      selectorAttribute: 'data-qa',
      steps: [
        ...start,
        { type: 'click', target: 'main', selectors: [['[data-qa="open"]'], ['x-app', 'x-menu', 'button']] },
        { type: 'click', target: 'main', selectors: [['x-app', 'x-menu', 'button']] },
      ],
    },
    [{ click: '[data-qa="open"]', or: ['x-app >>> x-menu >>> button'] }, { click: 'x-app >>> x-menu >>> button' }],
  ],
  'a game of keys on a slow network': [
    {
      title: 'Play',
      steps: [
        { type: 'emulateNetworkConditions', download: 180000, upload: 84375, latency: 562.5 },
        { type: 'navigate', url: 'https://game.example/', timeout: 90000 },
        ...[' ', 'w', 'ArrowLeft'].flatMap((key) => [
          { type: 'keyDown', target: 'main', key },
          { type: 'keyUp', target: 'main', key },
        ]),
      ],
    },
    [{ press: 'Space' }, { press: 'w' }, { press: 'ArrowLeft' }],
  ],
  'a part of a flow without a navigation': [
    {
      title: 'Part',
      steps: [{ type: 'click', target: 'main', selectors: five('Subjects', '#a.b'), deviceType: 'touch' }],
    },
    [{ click: 'aria/Subjects', or: others('Subjects', '#a.b') }],
  ],
  'selectors as texts, as early releases wrote them, and a frame': [
    {
      title: 'Old',
      steps: [...start, { type: 'click', target: 'main', frame: [0], selectors: ['aria/Play', 'button'] }],
    },
    [{ click: 'aria/Play', or: ['button'], frame: [0] }],
  ],
  'a login with Tab and Enter': [
    {
      title: 'Recording 11/28/2026 at 9:12:00 AM',
      timeout: 5000,
      steps: [
        ...start,
        { type: 'change', target: 'main', selectors: five('Name', '#name'), value: 'anna' },
        { type: 'keyDown', target: 'main', key: 'Tab' },
        { type: 'keyUp', target: 'main', key: 'Tab' },
        { type: 'change', target: 'main', selectors: five('Password', '#pw'), value: { secret: 'password' } },
        { type: 'keyDown', target: 'main', key: 'Enter', assertedEvents: [opens] },
        { type: 'keyUp', target: 'main', key: 'Enter' },
      ],
    },
    [
      { type: 'aria/Name', text: 'anna', or: others('Name', '#name') },
      { press: 'Tab' },
      { type: 'aria/Password', text: { secret: 'password' }, or: others('Password', '#pw') },
      { press: 'Enter' },
    ],
  ],
  'a written recording with descriptions, waits and an end': [
    {
      title: 'Wait',
      steps: [
        ...start.map((step) => ({ ...step, description: 'Begin' })),
        { type: 'hover', target: 'main', selectors: [['nav > a']], description: 'Open the menu' },
        { type: 'waitForElement', selectors: [['aria/More …'], ['p > a']], timeout: 8000 },
        { type: 'close', target: 'main' },
      ],
    },
    [{ hover: 'nav > a' }, { waitFor: 'aria/More …', or: ['p > a'] }],
  ],
  'scrolls of the page and of an element': [
    {
      title: 'Scroll',
      steps: [
        ...start,
        { type: 'scroll', target: 'main', x: 0, y: 900.5 },
        { type: 'scroll', target: 'main', selectors: [['#list']], x: 0, y: 40 },
        { type: 'doubleClick', target: 'main', selectors: [['#word']], offsetX: 2, offsetY: 2 },
      ],
    },
    [{ scroll: 901 }, { scroll: '#list', to: { x: 0, y: 40 } }, { click: '#word', times: 2, offset: { x: 2, y: 2 } }],
  ],
};

test.each(Object.entries(shapes))('%s becomes steps, also in the command', (_, [sent, steps]) => {
  const [interaction] = Interactions.parse(sent);
  expect(interaction?.steps).toEqual(steps);
  expect(recording(fileOf(sent))).toEqual([interaction]);
});

const selectors = [['#a']];
test.each([
  [
    'a step with code',
    { type: 'customStep', name: 'sleep', parameters: {} },
    'Step 3 of the recording (customStep) carries code',
  ],
  [
    'an expression',
    { type: 'waitForExpression', expression: '1' },
    'Step 3 of the recording (waitForExpression) carries code',
  ],
  [
    'a popup',
    { type: 'click', target: 'https://pay.example/', selectors },
    'Step 3 of the recording (click) is for another tab',
  ],
  [
    'another page',
    { type: 'navigate', url: 'https://shop.example/b' },
    'Step 4 of the recording (navigate) navigates elsewhere',
  ],
  ['a wrong field', { type: 'click', selectors: [] }, 'Step 3 of the recording (click) has a wrong field selectors'],
  ['no object', 'click', 'Step 3 of the recording is no object'],
])('a recording with %s is refused by its step, in the command and in the form', (name, step, message) => {
  const before = name === 'another page' ? [{ type: 'click', selectors }] : [];
  const sent = { title: 'Wrong', steps: [...start, ...before, step] };
  const { error } = Interactions.safeParse(sent);
  const [issue] = error?.issues ?? [];
  expect(messageAt({ path: 'interactions', message: issue?.message ?? '' })).toContain(message);
  const file = fileOf(sent);
  expect(() => recording(file)).toThrow(new InvalidArgumentError(`${file}: ${issue?.message}`));
});

test('recordings of several files follow each other, and another file is no recording', () => {
  const [first, second] = Object.values(shapes).map(([sent]) => fileOf(sent));
  expect(recording(second as string, recording(first as string)).map(({ name }) => name)).toEqual(['buy', 'form']);
  const other = fileOf({ version: '2.0', tests: [] });
  expect(() => recording(other)).toThrow('is no recording of Chrome DevTools');
});
