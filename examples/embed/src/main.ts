/**
 * Runs the service: `node src/main.ts PORT SITE…`, the sites being those of production.
 */
import { makeService } from "./service.ts"

const [port, ...sites] = process.argv.slice(2)

if (port === undefined || !/^\d{1,5}$/.test(port) || sites.length === 0) {
  console.error("Usage: node src/main.ts PORT SITE…, as in: node src/main.ts 8080 fra")
  process.exitCode = 2
} else {
  const service = makeService(new Set(sites))
  service.listen(Number(port), "127.0.0.1", () => {
    const address = service.address()
    const listening = typeof address === "object" && address !== null ? address.port : port
    console.log(`POST a snapshot to http://127.0.0.1:${listening}/verdicts. Production is ${sites.join(", ")}.`)
  })
}
