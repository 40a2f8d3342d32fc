import { z } from 'zod';

/**
 * Message on the queue of deliveries. It names a closed check whose deliveries must be made, or one delivery whose next try
 * is due. `tries` is the number of its tries so far, so that a late copy of the message makes no further try. A message may
 * also ask for the field data of a new check: the function behind this queue may reach other services.
 */
export const DeliveryJob = z.union([
  z.object({ owner: z.string(), fieldDataOf: z.uuid(), tries: z.int() }),
  z.object({ owner: z.string(), checkId: z.uuid() }),
  z.object({
    owner: z.string(),
    webhookId: z.uuid(),
    deliveryId: z.uuid(),
    createdAt: z.iso.datetime(),
    tries: z.int(),
  }),
]);
export type DeliveryJob = z.infer<typeof DeliveryJob>;
