/** A path below a folder in the bytes that the system has: a name need not be UTF-8, and read as text it would be another. */
export function rawJoin(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, Buffer.from('/'), name]);
}
