/** The regions of the API and the AWS region behind each. To add a region, add a row here and in `places`. */
export const regions = {
  'us-west1': 'us-west-2',
  'us-east4': 'us-east-1',
  'europe-north1': 'eu-north-1',
  'europe-west3': 'eu-central-1',
  'asia-northeast1': 'ap-northeast-1',
  'australia-southeast1': 'ap-southeast-2',
} as const;

/** Where each region is, for people. */
export const places = {
  'us-west1': 'Oregon, USA',
  'us-east4': 'Virginia, USA',
  'europe-north1': 'Stockholm, Sweden',
  'europe-west3': 'Frankfurt, Germany',
  'asia-northeast1': 'Tokyo, Japan',
  'australia-southeast1': 'Sydney, Australia',
} as const satisfies Record<keyof typeof regions, string>;

/** A region in which the service audits. */
export type AuditRegion = keyof typeof regions;
export const allRegions = Object.keys(regions) as [AuditRegion, ...AuditRegion[]];
export const isRegion = (name: string): name is AuditRegion => name in regions;

/** Region of a run whose report was made elsewhere and uploaded. */
export const ELSEWHERE = 'elsewhere';
export type Region = AuditRegion | typeof ELSEWHERE;
export const runRegions = [...allRegions, ELSEWHERE] as const;
