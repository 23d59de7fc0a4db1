export { cutMessage, isTold, taskMessage } from '@writ/delegation';
