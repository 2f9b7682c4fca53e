package dev.holdfast.engine.lvm.blobs.internal.lvm;

import dev.holdfast.error.StorageException;
import dev.holdfast.host.HostFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The kernel's counters of requests to devices, by which no program has to run. Stateless. */
public final class RequestCounters {
  private static final Path DEVICES = Path.of("/sys/dev/block");
  private static final int MOST = 4096;

  private RequestCounters() {}

  /**
   * Reads the counters of the active volumes of a group.
   *
   * @return them by the number of the device, such as {@code 254:3}; empty when one is missing
   */
  public static Optional<Map<String, String>> read(HostFiles files, GroupView view)
      throws StorageException {
    Map<String, String> counters = new TreeMap<>();
    for (LogicalVolume volume : view.volumes().values()) {
      if (volume.active()) {
        Path file = DEVICES.resolve(volume.number()).resolve("stat");
        Optional<byte[]> text = files.read(file, 0, MOST);
        if (text.isEmpty()) {
          return Optional.empty();
        }
        counters.put(volume.number(), new String(text.get(), StandardCharsets.US_ASCII));
      }
    }
    return Optional.of(counters);
  }
}
