package dev.holdfast.nvme.host.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.nvme.host.answer.NvmeAccess;
import dev.holdfast.nvme.host.answer.NvmeIdentity;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Layout of the pages that a controller returns to Identify and Get Log Page. */
public final class ControllerPages {
  private static final int UUID_DESCRIPTOR = 3;
  private static final int GROUPS = 16;
  private static final int GROUP = 32;

  private ControllerPages() {}

  /** Reads Identify Controller. */
  public static NvmeIdentity identity(ByteBuffer page) {
    return new NvmeIdentity(
        page.getShort(78) & 0xffff,
        text(page, 768, 256),
        text(page, 4, 20),
        text(page, 24, 40),
        (page.get(76) & 1 << 3) != 0);
  }

  private static String text(ByteBuffer page, int at, int length) {
    byte[] bytes = new byte[length];
    page.get(at, bytes);
    String whole = new String(bytes, StandardCharsets.UTF_8);
    int end = whole.indexOf(0);
    return (end < 0 ? whole : whole.substring(0, end)).stripTrailing();
  }

  /** Reads the list of active namespaces. */
  public static List<Integer> numbers(ByteBuffer page) {
    List<Integer> numbers = new ArrayList<>();
    for (int at = 0; at + 4 <= page.capacity() && page.getInt(at) != 0; at += 4) {
      numbers.add(page.getInt(at));
    }
    return numbers;
  }

  /** Reads the UUID from the list of descriptors of a namespace. */
  public static UUID uuid(ByteBuffer page) {
    int at = 0;
    while (at + 4 <= page.capacity() && page.get(at + 1) != 0) {
      int length = page.get(at + 1) & 0xff;
      if (page.get(at) == UUID_DESCRIPTOR && length == 16 && at + 20 <= page.capacity()) {
        ByteBuffer bytes = page.duplicate().order(ByteOrder.BIG_ENDIAN);
        return new UUID(bytes.getLong(at + 4), bytes.getLong(at + 12));
      }
      at += 4 + length;
    }
    return new UUID(0, 0);
  }

  /** Finds the access state of a namespace in the log of asymmetric access. */
  public static NvmeAccess access(String subject, ByteBuffer page, int namespace)
      throws StorageException {
    int groups = page.getShort(8) & 0xffff;
    int at = GROUPS;
    for (int group = 0; group < groups && at + GROUP <= page.capacity(); group++) {
      int count = page.getInt(at + 4);
      int state = page.get(at + 16) & 0xf;
      int list = at + GROUP;
      if (count < 0 || count > (page.capacity() - list) / 4) {
        break;
      }
      for (int i = 0; i < count; i++) {
        if (page.getInt(list + 4 * i) == namespace) {
          return state(subject, state);
        }
      }
      at = list + 4 * count;
    }
    throw new StorageException(
        ErrorCode.NOT_FOUND, subject + ": no access group has namespace " + namespace);
  }

  private static NvmeAccess state(String subject, int state) throws StorageException {
    return switch (state) {
      case 1 -> NvmeAccess.OPTIMIZED;
      case 2 -> NvmeAccess.NON_OPTIMIZED;
      case 3 -> NvmeAccess.INACCESSIBLE;
      case 4 -> NvmeAccess.PERSISTENT_LOSS;
      case 15 -> NvmeAccess.CHANGE;
      default ->
          throw new StorageException(ErrorCode.IO, subject + ": access state " + state + " is new");
    };
  }
}
