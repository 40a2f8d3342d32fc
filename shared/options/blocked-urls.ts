export const MAX_PATTERNS = 50;
export const MAX_PATTERN_LENGTH = 200;

/** Says what a create accepts. */
export const acceptedBlockedUrls = `The blocked URL patterns must be a list of up to ${MAX_PATTERNS} texts of 1 to ${MAX_PATTERN_LENGTH} characters, such as ["*://ads.example.com/*"].`;

/** Returns the first pattern that matches a URL. As in Chromium, a pattern may match any part of the URL. */
export const patternMatching = (url: string, patterns: readonly string[]): string | undefined =>
  patterns.find((pattern) => {
    let from = 0;
    return pattern.split('*').every((part) => {
      const at = url.indexOf(part, from);
      from = at + part.length;
      return at >= 0;
    });
  });
