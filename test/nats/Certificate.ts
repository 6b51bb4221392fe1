/**
 * Certificates of a test's own: an authority, and what it signs for the loopback. Written out as DER, for Node makes none.
 */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"

/** A certificate and its key, as PEM. */
export interface Certified {
  readonly certificate: string
  readonly key: string
}

/** An authority, and what certifies a server or client, at an address, in its name. */
export const authority = (): Certified & {
  readonly certify: (name: string, address?: readonly [number, number, number, number]) => Certified
} => {
  const own = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const name = "the tests' authority"
  return {
    ...certified(name, own, name, own.privateKey, basicConstraints),
    certify: (subject, address = [127, 0, 0, 1]) => {
      const theirs = generateKeyPairSync("ec", { namedCurve: "P-256" })
      return certified(subject, theirs, name, own.privateKey, at(address))
    }
  }
}

interface KeyPair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

const certified = (subject: string, keys: KeyPair, issuer: string, by: KeyObject, more: Buffer): Certified => {
  const signed = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    named(issuer),
    sequence(time(-1), time(1)),
    named(subject),
    keys.publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(more))
  )
  const bits = (content: Buffer) => der(0x03, Buffer.from([0]), content)
  const certificate = sequence(signed, ecdsaWithSha256, bits(sign("sha256", signed, { key: by, dsaEncoding: "der" })))
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${certificate.toString("base64")}\n-----END CERTIFICATE-----\n`,
    key: keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  }
}

const der = (tag: number, ...contents: ReadonlyArray<Buffer>): Buffer => {
  const content = Buffer.concat(contents)
  const { length: bytes } = content
  const length = bytes < 0x80 ? [bytes] : bytes < 0x100 ? [0x81, bytes] : [0x82, bytes >> 8, bytes & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

const sequence = (...contents: ReadonlyArray<Buffer>): Buffer => der(0x30, ...contents)
const integer = (value: Buffer): Buffer => der(0x02, value)
const identifier = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"))

const ecdsaWithSha256 = sequence(identifier("2a8648ce3d040302"))

const named = (name: string): Buffer =>
  sequence(der(0x31, sequence(identifier("550403"), der(0x0c, Buffer.from(name)))))

const time = (years: number): Buffer => {
  const at = new Date(Date.now() + years * 31_536_000_000).toISOString()
  return der(0x18, Buffer.from(`${at.replaceAll(/[-:T]/g, "").slice(0, 14)}Z`))
}

const extension = (hex: string, content: Buffer): Buffer => sequence(identifier(hex), der(0x04, content))
const basicConstraints = extension("551d13", sequence(der(0x01, Buffer.from([0xff]))))
const at = (address: ReadonlyArray<number>): Buffer => extension("551d11", sequence(der(0x87, Buffer.from(address))))
