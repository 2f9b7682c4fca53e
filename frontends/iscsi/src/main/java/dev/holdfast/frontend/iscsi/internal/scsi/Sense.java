package dev.holdfast.frontend.iscsi.internal.scsi;

import dev.holdfast.error.ErrorCode;
import java.nio.ByteBuffer;
import java.util.OptionalLong;

/**
 * Sense data: why a command did not succeed (SPC-4, 4.5).
 *
 * @param key the sense key
 * @param code additional sense code and its qualifier in one number
 * @param information value that the command defines, not null
 */
public record Sense(int key, int code, OptionalLong information) {
  static final Sense NONE = of(0x0, 0x0000);
  static final Sense INVALID_OPCODE = of(0x5, 0x2000);

  /** A field of the descriptor block has an unsupported value. */
  public static final Sense INVALID_FIELD = of(0x5, 0x2400);

  /** The initiator announced less data than the command needs (INFORMATION UNIT, SPC-4). */
  public static final Sense EXPECTED_TOO_SHORT = of(0x5, 0x0e03);

  static final Sense LIST_LENGTH = of(0x5, 0x1a00);
  static final Sense INVALID_PARAMETER = of(0x5, 0x2600);
  static final Sense INVALID_RELEASE = of(0x5, 0x2604);
  static final Sense OUT_OF_RANGE = of(0x5, 0x2100);
  static final Sense SAVING_UNSUPPORTED = of(0x5, 0x3900);
  static final Sense WRITE_PROTECTED = of(0x7, 0x2700);

  /** The named logical unit does not exist. */
  public static final Sense NO_LOGICAL_UNIT = of(0x5, 0x2500);

  /** The initiator sent less or more than it announced. */
  public static final Sense DATA_PHASE = of(0xb, 0x4b00);

  private static final int DEFERRED_NOT = 0x70;
  private static final int FIXED_LENGTH = 18;
  private static final int VALID = 0x80;

  static Sense of(int key, int code) {
    return new Sense(key, code, OptionalLong.empty());
  }

  /** Returns a unit attention. */
  static Sense attention(int code) {
    return of(0x6, code);
  }

  /** Returns a miscompare at the offset of the first difference. */
  static Sense miscompare(long at) {
    return new Sense(0xe, 0x1d00, OptionalLong.of(at));
  }

  /**
   * Returns the sense data for a failed device.
   *
   * @param failure code of the device's failure, not null
   * @param write whether the command would have changed the medium
   */
  public static Sense of(ErrorCode failure, boolean write) {
    return switch (failure) {
      case NO_SPACE -> of(0x7, 0x2707);
      case FORBIDDEN -> WRITE_PROTECTED;
      case INVALID -> OUT_OF_RANGE;
      case UNSUPPORTED -> INVALID_OPCODE;
      case NOT_FOUND, ALREADY_EXISTS -> of(0x2, 0x0403);
      case BUSY, CONFLICT, EXPIRED -> of(0x2, 0x0401);
      case UNREACHABLE -> of(0x4, 0x0800);
      case TIMEOUT -> of(0x4, 0x0801);
      case IO -> write ? of(0x3, 0x0c00) : of(0x3, 0x1100);
      case INTERNAL -> of(0x4, 0x4400);
    };
  }

  /** Returns sense data in the fixed or the descriptor format. */
  public byte[] encode(boolean descriptors) {
    return descriptors ? descriptors() : fixed();
  }

  private byte[] fixed() {
    ByteBuffer data = ByteBuffer.allocate(FIXED_LENGTH);
    data.put(0, (byte) (DEFERRED_NOT | (information.isPresent() ? VALID : 0)));
    data.put(2, (byte) key);
    data.putInt(3, (int) information.orElse(0));
    data.put(7, (byte) (FIXED_LENGTH - 8));
    data.putShort(12, (short) code);
    return data.array();
  }

  private byte[] descriptors() {
    ByteBuffer data = ByteBuffer.allocate(information.isPresent() ? 20 : 8);
    data.put(0, (byte) 0x72).put(1, (byte) key).putShort(2, (short) code);
    if (information.isPresent()) {
      data.put(7, (byte) 12).put(8, (byte) 0).put(9, (byte) 10).put(10, (byte) VALID);
      data.putLong(12, information.getAsLong());
    }
    return data.array();
  }
}
