package dev.holdfast.engine.lvm.blobs.links;

import dev.holdfast.engine.lvm.blobs.internal.links.KernelNbd;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Links over NBD: devices of the kernel on this host, and exports by a server of this process.
 *
 * <pre>
 *   exporter ── NAME@GENERATION ── transport ── /dev/nbdN, whose backend is holdfast-lvm:NAME
 * </pre>
 *
 * A device counts a connection as lost when a request has no answer for 3 s, which a full pool also
 * causes. The server may then still work on requests of the lost connection. So a device is
 * connected at most once to a generation of an export: the exporter ends the requests of the
 * earlier generation first.
 *
 * <p>A connection to an export of this process ends with the process, so the device waits longer
 * for its answers. Requests that waited for a lost node are sent to such an export before their
 * device may point at the pool, and nothing above a lost connection can be suspended.
 */
public final class NbdLinks implements PoolLinks {
  private static final String BACKEND = "holdfast-lvm:";
  private static final Duration ANSWER_OF_OTHERS = Duration.ofSeconds(3);
  private static final Duration ANSWER_OF_OWN = Duration.ofSeconds(30);
  private static final Pattern NAME = Pattern.compile("[a-z0-9.-]{1,100}");

  private final KernelNbd kernel;
  private final PoolExporter exporter;
  private final PoolTransport transport;
  private final Map<String, PoolAddress> own = new ConcurrentHashMap<>();

  /**
   * Creates links of a host.
   *
   * @param host whose kernel makes the devices
   * @param exporter that serves devices of this host
   * @param transport by which the host reaches exports of other nodes
   */
  public NbdLinks(Host host, PoolExporter exporter, PoolTransport transport) {
    this.kernel = new KernelNbd(host);
    this.exporter = exporter;
    this.transport = transport;
  }

  /**
   * Returns the name of an export on the wire. A server knows one generation of an export, so it
   * refuses clients that ask for another one.
   *
   * @param exportName of the blob
   * @param generation of the pool's activation, positive
   * @throws StorageException INVALID naming the value
   */
  public static String wireName(String exportName, long generation) throws StorageException {
    if (!NAME.matcher(exportName).matches()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "export name \""
              + exportName
              + "\": must have 1 to 100 lower-case letters, digits, hyphens and dots");
    }
    if (generation < 1) {
      throw new StorageException(
          ErrorCode.INVALID,
          "export " + exportName + ": generation " + generation + ": must be positive");
    }
    return exportName + "@" + generation;
  }

  private KernelNbd.Target target(PoolAddress address, String exportName) throws StorageException {
    String wireName = wireName(exportName, address.generation());
    PoolTransport.Endpoint endpoint = transport.open(address);
    Duration answer = address.equals(own.get(exportName)) ? ANSWER_OF_OWN : ANSWER_OF_OTHERS;
    return new KernelNbd.Target(endpoint.host(), endpoint.port(), wireName, answer);
  }

  private static LinkedDevice linked(KernelNbd.Device device, String exportName) {
    return new LinkedDevice(Path.of("/dev/nbd" + device.index()), device.number(), exportName);
  }

  private static KernelNbd.Device device(LinkedDevice linked) {
    String index = linked.device().getFileName().toString().substring("nbd".length());
    return new KernelNbd.Device(index, linked.number());
  }

  @Override
  public PoolExport export(Path device, String exportName, long generation)
      throws StorageException {
    PoolExport export = exporter.export(device, exportName, generation);
    own.put(exportName, export.address());
    return export;
  }

  @Override
  public synchronized LinkedDevice connect(PoolAddress address, String exportName)
      throws StorageException {
    KernelNbd.Target target = target(address, exportName);
    String backend = BACKEND + exportName;
    Optional<KernelNbd.Device> present = kernel.find(backend);
    KernelNbd.Device device =
        present.isPresent()
            ? kernel.reconnect(present.get(), backend, target)
            : kernel.connect(backend, target);
    return linked(device, exportName);
  }

  @Override
  public void reconnect(LinkedDevice device, PoolAddress address, String exportName)
      throws StorageException {
    KernelNbd.Device unused =
        kernel.reconnect(device(device), BACKEND + exportName, target(address, exportName));
  }

  @Override
  public void disconnect(LinkedDevice device) throws StorageException {
    kernel.disconnect(device(device), BACKEND + device.exportName());
  }

  @Override
  public Optional<LinkedDevice> find(String exportName) throws StorageException {
    return kernel.find(BACKEND + exportName).map(device -> linked(device, exportName));
  }

  @Override
  public Set<String> lost(Set<String> exportNames) throws StorageException {
    return kernel.lost(BACKEND).stream()
        .map(backend -> backend.substring(BACKEND.length()))
        .filter(exportNames::contains)
        .collect(Collectors.toUnmodifiableSet());
  }
}
