package dev.holdfast.engine.lvm.blobs.internal.lvm;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads what thin_delta(8) and thin_dump(8) print, one element per line, in ascending order. Blocks
 * that neither names are equal.
 */
final class DeltaParser {
  private static final Pattern ATTRIBUTE = Pattern.compile("([a-z_]+)=\"([^\"]*)\"");
  private static final int SECTOR = 512;

  private long blockBytes;

  /**
   * A range in which two volumes may differ.
   *
   * @param from first byte
   * @param length in bytes
   */
  record Range(long from, long length) {}

  /**
   * Reads a line.
   *
   * @return the range that it names, empty for a line that names none
   * @throws StorageException INTERNAL when the line is not of the format
   */
  Optional<Range> line(String line) throws StorageException {
    String element = line.strip().replaceAll("^<|[ />].*", "");
    return switch (element) {
      case "superblock" -> {
        blockBytes = Math.multiplyExact(number(line, "data_block_size"), SECTOR);
        yield Optional.empty();
      }
      case "different", "left_only", "right_only" ->
          range(number(line, "begin"), number(line, "length"));
      case "single_mapping" -> range(number(line, "origin_block"), 1);
      case "range_mapping" -> range(number(line, "origin_begin"), number(line, "length"));
      default -> Optional.empty();
    };
  }

  private Optional<Range> range(long block, long blocks) throws StorageException {
    if (blockBytes == 0) {
      throw unreadable("a range before the size of a block");
    }
    return Optional.of(
        new Range(Math.multiplyExact(block, blockBytes), Math.multiplyExact(blocks, blockBytes)));
  }

  private static long number(String line, String name) throws StorageException {
    Matcher attributes = ATTRIBUTE.matcher(line);
    while (attributes.find()) {
      if (attributes.group(1).equals(name)) {
        try {
          return Long.parseLong(attributes.group(2));
        } catch (NumberFormatException e) {
          throw unreadable(line);
        }
      }
    }
    throw unreadable(line);
  }

  private static StorageException unreadable(String line) {
    return new StorageException(
        ErrorCode.INTERNAL,
        "the list of changes cannot be read: " + line + ": install thin-provisioning-tools 0.9.0");
  }
}
