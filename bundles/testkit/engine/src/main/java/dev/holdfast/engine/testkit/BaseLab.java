package dev.holdfast.engine.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.BaseContent;
import dev.holdfast.engine.BaseEngine;
import dev.holdfast.engine.BaseLocation;
import dev.holdfast.engine.BaseWriter;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.InitialContent;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ReplicaRequest;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;

/**
 * Common parts of the topics about bases. The usual base has 40 MiB, which is two and a half
 * regions: a block of data at the start and the end of each region, and holes elsewhere.
 */
abstract class BaseLab extends EngineTests {
  static final long BASE_SIZE = 40L << 20;
  static final int LENGTH = 1 << 20;
  static final long REGION = BaseWriter.REGION_BYTES;
  private static final int[] CHECKED = {0, 1, 2, 15, 16, 17, 31, 32, 33, 38, 39, 40, 41, 62, 63};

  static final String IMAGE = "image";
  static final String CHECKSUM = "sha512:of-the-first";

  /** Content of the usual base without its holes: the data at each multiple of a region. */
  byte[] piece;

  BaseLab(EngineLab lab) {
    super(lab);
  }

  @BeforeEach
  final void onlyIfBasesAreDeclared() {
    assumeTrue(has(EngineCapability.BASES), "the engine does not declare BASES");
    piece = bytes(LENGTH);
  }

  final BaseEngine bases() {
    return (BaseEngine) engine;
  }

  final BaseLocation base(int disk) throws Exception {
    return base(disk, IMAGE);
  }

  final BaseLocation base(int disk, String image) throws Exception {
    return new BaseLocation(image, "7f3a-" + image, disk(disk), CHECKSUM);
  }

  /** Creates and seals the usual base on a disk. */
  final BaseLocation sealed(int disk) throws Exception {
    return sealed(base(disk));
  }

  final BaseLocation sealed(BaseLocation base) throws Exception {
    try (BaseWriter writer = bases().createBase(base, BASE_SIZE)) {
      fill(writer);
      writer.seal(base.contentChecksum());
    }
    return base;
  }

  final void fill(BaseWriter writer) throws Exception {
    DeviceIo device = new DeviceIo(writer.device());
    device.zero(0, BASE_SIZE, 0);
    for (long at = 0; at < BASE_SIZE; at += REGION) {
      device.write(at, piece);
    }
    device.write(BASE_SIZE - LENGTH, piece);
    device.flush();
  }

  /** Returns the initial content of a volume on the usual base, up to a size. */
  final byte[] baseContent(int size) {
    byte[] content = new byte[size];
    for (long at = 0; at < BASE_SIZE; at += REGION) {
      System.arraycopy(piece, 0, content, (int) at, LENGTH);
    }
    System.arraycopy(piece, 0, content, (int) BASE_SIZE - LENGTH, LENGTH);
    return content;
  }

  static ReplicaRequest request(
      EngineProvider engine, ReplicaLocation at, long size, InitialContent content) {
    Map<String, String> options = new TreeMap<>();
    engine.options().forEach(option -> options.put(option.name(), option.defaultValue()));
    return new ReplicaRequest(at, size, content, options);
  }

  final ReplicaLocation on(BaseLocation base, ReplicaLocation at) throws Exception {
    engine.provisionReplica(request(engine, at, SIZE, new BaseContent(base)));
    return at;
  }

  /** Checks the parts of a content that the tests change, and their borders. */
  static void check(DeviceIo device, byte[] content) throws Exception {
    for (int mib : CHECKED) {
      int from = mib * LENGTH;
      if (from < content.length) {
        assertContent(device.read(from, LENGTH), Arrays.copyOfRange(content, from, from + LENGTH));
      }
    }
  }

  static void clear(byte[] content, long from, int length) {
    Arrays.fill(content, (int) from, (int) from + length, (byte) 0);
  }
}
