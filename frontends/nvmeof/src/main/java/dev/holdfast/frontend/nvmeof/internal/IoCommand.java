package dev.holdfast.frontend.nvmeof.internal;

/** Opcodes of I/O commands. */
final class IoCommand {
  static final int FLUSH = 0x00;
  static final int WRITE = 0x01;
  static final int READ = 0x02;
  static final int COMPARE = 0x05;
  static final int WRITE_ZEROES = 0x08;
  static final int DATASET_MANAGEMENT = 0x09;
  static final int VERIFY = 0x0c;
  static final int RESERVATION_REGISTER = 0x0d;
  static final int RESERVATION_REPORT = 0x0e;
  static final int RESERVATION_ACQUIRE = 0x11;
  static final int RESERVATION_RELEASE = 0x15;

  private IoCommand() {}
}
