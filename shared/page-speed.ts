/** Query parameters that clients of PageSpeed's API send, and that change no result. */
export const ignoredParameters = [
  ...['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content', 'captchaToken', 'quotaUser'],
  ...['prettyPrint', '$.xgafv', 'nokey', 'format', 'threshold', 'links'], // the last four are of the package `psi`
  ...['screenshot', 'snapshots', 'filter_third_party_resources', 'userIp'], // of earlier versions of the API
  ...['access_token', 'oauth_token', 'uploadType', 'upload_protocol'],
] as const;

/** Query parameters of `runPagespeed`. `region`, `version` and `samples` are ours. */
export const pageSpeedParameters = [
  ...(['url', 'strategy', 'category', 'locale', 'key', 'region', 'version', 'samples', 'alt', 'fields'] as const),
  ...ignoredParameters,
] as const;

/** Label of the checks that `runPagespeed` creates. */
export const pageSpeedLabels = { client: 'psi' } as const;
