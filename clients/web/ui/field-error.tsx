import { Quoted } from './quoted.tsx';

/** The fault of a field, and what to enter. Nothing without a message. */
export const FieldError = ({ id, message }: { id?: string; message: string | undefined }) =>
  message ? (
    <p id={id} class="error" role="alert">
      <Quoted text={message} />
    </p>
  ) : null;
