import type { VNode } from 'preact';
import { FieldError } from './field-error.tsx';

/** Attributes that tie an input to its label, its help and its error. */
export type InputAttributes = { id: string; 'aria-invalid'?: 'true'; 'aria-describedby'?: string };

type Props = {
  name: string;
  label: string;
  message?: string | undefined;
  help?: string;
  class?: string;
  children: (attributes: InputAttributes) => VNode;
};

/** A labelled input with its error below it. `children` returns the input. */
export const Field = ({ name, label, message, help, class: className = '', children }: Props) => {
  const described = [message && `${name}-error`, help && `${name}-help`].filter(Boolean).join(' ');
  const attributes: InputAttributes = {
    id: name,
    ...(message && { 'aria-invalid': 'true' }),
    ...(described && { 'aria-describedby': described }),
  };
  return (
    <div class={`field ${className}`}>
      <label for={name}>{label}</label>
      {children(attributes)}
      {help && (
        <p id={`${name}-help`} class="muted">
          {help}
        </p>
      )}
      <FieldError id={`${name}-error`} message={message} />
    </div>
  );
};
