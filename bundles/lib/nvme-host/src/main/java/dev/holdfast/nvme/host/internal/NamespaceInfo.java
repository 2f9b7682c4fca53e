package dev.holdfast.nvme.host.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Locale;

/**
 * Identity and geometry of a namespace (NVM command set, Identify Namespace).
 *
 * @param id its number
 * @param blocks its size in blocks
 * @param blockSize bytes of a block
 * @param nguid 32 hexadecimal digits
 * @param zeroesDeallocate whether Write Zeroes may deallocate the blocks
 */
public record NamespaceInfo(
    int id, long blocks, int blockSize, String nguid, boolean zeroesDeallocate) {
  private static final int DEALLOCATION = 33;
  private static final int FORMATTED = 26;
  private static final int NGUID = 104;
  private static final int FORMATS = 128;
  private static final int SMALLEST_SHIFT = 9;
  private static final int LARGEST_SHIFT = 16;

  static NamespaceInfo parse(String subject, int id, ByteBuffer data) throws StorageException {
    long blocks = data.getLong(0);
    if (blocks == 0) {
      throw new StorageException(
          ErrorCode.NOT_FOUND, subject + ": namespace " + id + " does not exist");
    }
    int formatted = data.get(FORMATTED);
    int format = data.getInt(FORMATS + 4 * ((formatted & 0xf) | ((formatted >> 5 & 3) << 4)));
    int shift = format >> 16 & 0xff;
    if ((format & 0xffff) != 0 || shift < SMALLEST_SHIFT || shift > LARGEST_SHIFT) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          subject
              + ": namespace "
              + id
              + ": blocks of 2^"
              + shift
              + " bytes with "
              + (format & 0xffff)
              + " bytes of metadata: format it without metadata");
    }
    if (blocks < 0 || blocks > Long.MAX_VALUE >> shift) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED, subject + ": namespace " + id + ": too large: " + blocks);
    }
    byte[] nguid = new byte[16];
    data.get(NGUID, nguid);
    String hex = HexFormat.of().formatHex(nguid).toUpperCase(Locale.ROOT);
    boolean deallocates = (data.get(DEALLOCATION) & 1 << 3) != 0;
    return new NamespaceInfo(id, blocks, 1 << shift, hex, deallocates);
  }
}
