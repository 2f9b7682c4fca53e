package dev.holdfast.engine.spdk.simulator.internal.tcp;

import dev.holdfast.engine.spdk.simulator.fabric.FabricNamespace;
import dev.holdfast.engine.spdk.simulator.fabric.FabricSubsystem;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Pages that a controller returns, with the values of SPDK v26.05 (lib/nvmf/ctrlr.c). */
final class Pages {
  static final int VERSION = 0x20000;
  static final int ENTRIES = 128;

  private static final int PAGE = 4_096;
  private static final int IN_CAPSULE = 4_096;
  private static final int GROUPS = 32;
  private static final int TRANSFER_SHIFT = 5;
  private static final int KEEP_ALIVE_UNITS = 100;

  private Pages() {}

  private static void text(ByteBuffer page, int at, int length, char fill, String text) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) fill);
    byte[] content = text.getBytes(StandardCharsets.UTF_8);
    System.arraycopy(content, 0, bytes, 0, Math.min(content.length, length));
    page.put(at, bytes);
  }

  /** Returns Identify Controller. */
  static ByteBuffer controller(FabricSubsystem subsystem, int id, boolean discovery) {
    ByteBuffer page = TcpPdu.buffer(PAGE);
    text(page, 64, 8, ' ', "26.05");
    page.put(77, (byte) TRANSFER_SHIFT).putShort(78, (short) id).putInt(80, VERSION);
    page.put(259, (byte) (TargetSession.EVENTS - 1)).put(262, (byte) 127);
    page.putShort(514, (short) ENTRIES).putInt(536, 0x300001);
    text(page, 768, 256, '\0', subsystem.nqn());
    page.put(261, (byte) (1 << 2));
    page.put(111, (byte) (discovery ? 2 : 1));
    page.putInt(1_792, (64 + IN_CAPSULE) / 16).putInt(1_796, 1).put(1_803, (byte) 1);
    if (!discovery) {
      forVolumes(page, subsystem);
    }
    return page;
  }

  private static void forVolumes(ByteBuffer page, FabricSubsystem subsystem) {
    page.putShort(0, (short) 0x8086).putShort(2, (short) 0x8086);
    text(page, 4, 20, ' ', subsystem.serialNumber());
    text(page, 24, 40, ' ', subsystem.modelNumber());
    page.put(72, (byte) 6).put(76, (byte) (subsystem.anaReporting() ? 0x0b : 0x03));
    page.putInt(92, subsystem.anaReporting() ? 0x900 : 0x100).putInt(96, 1);
    page.put(258, (byte) 3).put(260, (byte) 3).put(261, (byte) (1 << 1 | 1 << 2 | 1));
    page.putShort(320, (short) KEEP_ALIVE_UNITS);
    if (subsystem.anaReporting()) {
      page.put(342, (byte) 10).put(343, (byte) 0x47).putInt(344, GROUPS).putInt(348, GROUPS);
      page.putInt(540, GROUPS);
    }
    page.put(512, (byte) 0x66).put(513, (byte) 0x44).putInt(516, GROUPS);
    page.putShort(520, (short) (1 << 2 | 1 << 3)).put(525, (byte) 0x05);
  }

  /** Returns Identify Namespace. */
  static ByteBuffer namespace(ServedNamespace namespace) {
    ByteBuffer page = TcpPdu.buffer(PAGE);
    page.putLong(0, namespace.blocks()).putLong(8, namespace.blocks());
    page.putLong(16, namespace.blocks()).put(30, (byte) 1);
    page.putInt(92, namespace.accessGroup());
    page.put(104, HexFormat.of().parseHex(namespace.nguid()));
    page.putInt(128, Integer.numberOfTrailingZeros(namespace.blockSize()) << 16);
    return page;
  }

  /** Returns the list of active namespaces above a number. */
  static ByteBuffer numbers(List<ServedNamespace> namespaces, int above) {
    ByteBuffer page = TcpPdu.buffer(PAGE);
    namespaces.stream()
        .map(FabricNamespace::id)
        .filter(id -> Integer.compareUnsigned(id, above) > 0)
        .sorted()
        .forEach(page::putInt);
    return page.rewind();
  }

  /** Returns the identification descriptors of a namespace. */
  static ByteBuffer descriptors(ServedNamespace namespace) {
    ByteBuffer page = TcpPdu.buffer(PAGE);
    page.put((byte) 2).put((byte) 16).putShort((short) 0);
    page.put(HexFormat.of().parseHex(namespace.nguid()));
    page.put((byte) 3).put((byte) 16).putShort((short) 0).order(ByteOrder.BIG_ENDIAN);
    page.putLong(namespace.uuid().getMostSignificantBits());
    page.putLong(namespace.uuid().getLeastSignificantBits());
    page.put((byte) 4).put((byte) 1);
    return page.order(ByteOrder.LITTLE_ENDIAN).rewind();
  }

  /** Returns the log of asymmetric access: only groups that have namespaces, as SPDK does. */
  static ByteBuffer access(ServedAssociation association, boolean groupsOnly) {
    Map<Integer, List<Integer>> groups = new TreeMap<>();
    for (ServedNamespace one : association.served()) {
      groups.computeIfAbsent(one.accessGroup(), group -> new ArrayList<>()).add(one.id());
    }
    int size = 16 + groups.size() * 32 + association.served().size() * 4;
    ByteBuffer page = TcpPdu.buffer(Math.max(size, PAGE));
    page.putShort(8, (short) groups.size()).position(16);
    groups.forEach(
        (group, members) -> {
          int start = page.position();
          page.putInt(group).putInt(groupsOnly ? 0 : members.size());
          page.put(start + 16, (byte) association.accessState(group)).position(start + 32);
          if (!groupsOnly) {
            members.forEach(page::putInt);
          }
        });
    return page.rewind();
  }
}
