package dev.holdfast.frontend.nvmeof.internal.wire;

/** Opcodes of I/O commands. */
public final class IoCommand {
  public static final int FLUSH = 0x00;
  public static final int WRITE = 0x01;
  public static final int READ = 0x02;
  public static final int COMPARE = 0x05;
  public static final int WRITE_ZEROES = 0x08;
  public static final int DATASET_MANAGEMENT = 0x09;
  public static final int VERIFY = 0x0c;
  public static final int RESERVATION_REGISTER = 0x0d;
  public static final int RESERVATION_REPORT = 0x0e;
  public static final int RESERVATION_ACQUIRE = 0x11;
  public static final int RESERVATION_RELEASE = 0x15;

  private IoCommand() {}
}
