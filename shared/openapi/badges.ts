import { Badge, BadgeList, CreateBadgeBody, ShieldsBadge } from '../badges.ts';
import { conditional, notModified, type Operations } from './operation.ts';

const tag = 'Badges';

const id = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const svg = `/v1/badges/${id}.svg`;
const page = '/pages?url=https%3A%2F%2Fexample.com%2F&device=mobile';
const aBadge = {
  id,
  url: 'https://example.com/',
  device: 'mobile',
  region: null,
  labels: { branch: 'main' },
  category: 'performance',
  createdAt: '2026-11-26T14:03:00.000Z',
  markdown: `[![performance](https://audit.example.com${svg})](https://audit.example.com${page})`,
  links: { self: `/v1/badges/${id}`, svg, json: `/v1/badges/${id}.json`, page },
} satisfies Badge;

const aShieldsBadge = {
  schemaVersion: 1,
  label: 'performance',
  message: '92',
  color: 'brightgreen',
  isError: false,
  cacheSeconds: 300,
} satisfies ShieldsBadge;

/** The documentation of the routes of badges. */
export const badgeOperations = {
  'POST /v1/badges': {
    tag,
    operationId: 'createBadge',
    summary: 'Make a badge of a page',
    description:
      'A badge is a link of scope `badge`: anyone who has it can read one score of the page, and nothing else, until it is revoked. The same inputs give the same badge.',
    body: { schema: CreateBadgeBody, example: { url: aBadge.url, labels: aBadge.labels } },
    answers: {
      200: { description: 'The badge, which existed.', schema: Badge, example: aBadge, headers: ['location'] },
      201: { description: 'The badge.', schema: Badge, example: aBadge, headers: ['location'] },
    },
    problems: ['payload-too-large', 'unsupported-media-type', 'too-many-requests'],
  },
  'GET /v1/badges': {
    tag,
    operationId: 'listBadges',
    summary: 'List badges, newest first',
    answers: { 200: { description: 'The badges.', schema: BadgeList, example: { badges: [aBadge] } } },
  },
  'GET /v1/badges/{badge}': {
    tag,
    operationId: 'showBadge',
    summary: 'Show a badge',
    description:
      'The id with `.svg` is the image, and with `.json` the form that an endpoint badge of shields.io reads. An unknown or revoked badge is a grey image, and as JSON a 404.',
    headers: conditional,
    answers: {
      200: {
        description: 'The badge.',
        schema: ShieldsBadge,
        example: aShieldsBadge,
        headers: ['etag'],
        also: ['image/svg+xml'],
      },
      304: notModified,
    },
    problems: ['not-found'],
  },
  'DELETE /v1/badges/{badge}': {
    tag,
    operationId: 'revokeBadge',
    summary: 'Revoke a badge',
    description: 'Readers may keep the last image for five minutes.',
    answers: { 204: { description: 'The badge is revoked.' } },
    problems: ['not-found'],
  },
} satisfies Partial<Operations>;
