import * as z from './zod/v4/index.js';

const Name = z.string().min(1, 'A name is needed.').max(40);
const answer = document.getElementById('answer');
const judge = (value) => {
  const { success, error } = Name.safeParse(value);
  answer.textContent = success ? 'That is a name.' : error.issues[0].message;
};
document.getElementById('name').addEventListener('input', ({ target }) => judge(target.value));
judge('');
