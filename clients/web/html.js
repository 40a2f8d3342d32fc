// @ts-check
import htm from 'htm';
import { h } from 'preact';

/** Returns the elements of a template. Values become text or attributes, never markup. */
export const html = /** @type {typeof import('htm').default} */ (/** @type {unknown} */ (htm)).bind(h);
