package dev.holdfast.engine.spdk.simulator.internal.lvol;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.type.TypeFactory;
import dev.holdfast.engine.spdk.simulator.internal.bdev.Bdev;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Metadata of a store on its device. The signature is that of SPDK, so that it is recognized as
 * foreign content where a blank disk is required; the rest is a format of the simulator.
 *
 * <pre>
 * page 0               SPDKBLOB, cluster size, clusters of metadata
 * pages 1 to n/2       slot 0: number, length, CRC32C, text
 * pages n/2 to n       slot 1
 * </pre>
 */
final class StoreFormat {
  private static final byte[] SIGNATURE = "SPDKBLOB".getBytes(StandardCharsets.US_ASCII);
  private static final int PAGE = 4_096;
  private static final int HEADER = 20;
  private static final ObjectMapper JSON =
      new ObjectMapper().setTypeFactory(TypeFactory.defaultInstance().withClassLoader(null));

  private final Bdev device;
  private final long metadataBytes;
  private long number;

  private StoreFormat(Bdev device, long metadataBytes) {
    this.device = device;
    this.metadataBytes = metadataBytes;
  }

  /** Returns the clusters that metadata take of a device. */
  static long metadataClusters(long size, long clusterSize) {
    long pages = size / clusterSize + 4;
    return (pages * PAGE + clusterSize - 1) / clusterSize;
  }

  /** Makes a store without content. */
  static StoreFormat create(Bdev device, long clusterSize, JsonNode content) throws IOException {
    long metadata = metadataClusters(device.size(), clusterSize) * clusterSize;
    device.zero(0, metadata);
    StoreFormat format = new StoreFormat(device, metadata);
    format.save(content);
    ByteBuffer page = ByteBuffer.allocate(PAGE);
    page.put(SIGNATURE).putLong(metadata);
    device.write(0, page.clear());
    return format;
  }

  /** Returns the store of a device that has one. */
  static Optional<StoreFormat> find(Bdev device) throws IOException {
    if (device.size() < PAGE) {
      return Optional.empty();
    }
    ByteBuffer page = ByteBuffer.allocate(PAGE);
    device.read(0, page);
    byte[] signature = new byte[SIGNATURE.length];
    page.flip().get(signature);
    return java.util.Arrays.equals(signature, SIGNATURE)
        ? Optional.of(new StoreFormat(device, page.getLong()))
        : Optional.empty();
  }

  /** Removes the signature. */
  void destroy() throws IOException {
    device.zero(0, PAGE);
  }

  private long slot(long ofNumber) {
    long half = metadataBytes / 2 / PAGE * PAGE;
    return ofNumber % 2 == 0 ? PAGE : half;
  }

  private long room() {
    return metadataBytes / 2 / PAGE * PAGE - PAGE;
  }

  /** Writes the content into the older slot. */
  void save(JsonNode content) throws IOException {
    byte[] text = content.toString().getBytes(StandardCharsets.UTF_8);
    int pages = (HEADER + text.length + PAGE - 1) / PAGE * PAGE;
    if (pages > room()) {
      throw new IOException("No space left on device");
    }
    CRC32C crc = new CRC32C();
    crc.update(text);
    ByteBuffer slot = ByteBuffer.allocate(pages);
    slot.putLong(number + 1).putInt(text.length).putLong(crc.getValue()).put(text);
    device.write(slot(number + 1), slot.clear());
    number++;
  }

  /** Reads the newer of the slots that are whole. */
  JsonNode load() throws IOException {
    JsonNode newest = null;
    for (int i = 0; i < 2; i++) {
      ByteBuffer slot = ByteBuffer.allocate((int) room());
      device.read(slot(i), slot);
      slot.flip();
      long found = slot.getLong();
      int length = slot.getInt();
      long checksum = slot.getLong();
      if (found > number && length > 0 && length <= slot.remaining()) {
        byte[] text = new byte[length];
        slot.get(text);
        CRC32C crc = new CRC32C();
        crc.update(text);
        if (crc.getValue() == checksum) {
          number = found;
          newest = JSON.readTree(text);
        }
      }
    }
    if (newest == null) {
      throw new IOException(device.name() + ": both slots of the store are damaged");
    }
    return newest;
  }
}
