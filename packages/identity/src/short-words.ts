import { createHash } from 'node:crypto';
import { type PairingTranscript, transcriptDigest } from './pairing-proof.ts';

/** Sixteen consonants and four vowels, each syllable as it is written: two make one of 4096 words, which people spell where they are in doubt. */
const CONSONANTS = 'bdfghjklmnprstvz';
const VOWELS = 'aiou';
const BITS_A_WORD = 12n;
/** 48 bits: nobody finds a second transcript with the same words while a person waits. */
const WORDS = 4;

/** The words that both people see while they pair, for example `dato-miru-sovu-kila`. */
export function shortWords(transcript: PairingTranscript): string {
  return wordsOf(transcriptDigest(transcript));
}

/** A node's own words, shown beside its label, which anybody can choose. */
export function identityWords(id: string): string {
  return wordsOf(createHash('sha256').update(`writ identity words 1\0${id}`).digest());
}

function wordsOf(digest: Uint8Array): string {
  let bits = Buffer.from(digest).readBigUInt64BE(0);
  const words: string[] = [];
  for (let i = 0; i < WORDS; i++) {
    words.push(wordAt(Number(bits & (2n ** BITS_A_WORD - 1n))));
    bits >>= BITS_A_WORD;
  }
  return words.join('-');
}

/** Word `index` of 4096. */
function wordAt(index: number): string {
  const syllable = (six: number): string => `${CONSONANTS[six >> 2]}${VOWELS[six & 3]}`;
  return `${syllable(index >> 6)}${syllable(index & 63)}`;
}
