package dev.holdfast.frontend.nvmeof.internal.wire;

/** Types and flags of PDUs (NVMe/TCP transport 1.0, figures 17 and following). */
public final class PduType {
  /** Host: begins the connection. */
  public static final int IC_REQUEST = 0x00;

  /** Controller: replies to {@link #IC_REQUEST}. */
  public static final int IC_RESPONSE = 0x01;

  /** Host: ends the connection after a fatal error. */
  public static final int HOST_TERMINATES = 0x02;

  /** Controller: ends the connection after a fatal error. */
  public static final int CONTROLLER_TERMINATES = 0x03;

  /** Host: a command, optionally with data. */
  public static final int COMMAND = 0x04;

  /** Controller: a completion. */
  public static final int RESPONSE = 0x05;

  /** Host: data of a command that the controller requested. */
  public static final int HOST_DATA = 0x06;

  /** Controller: data of a command. */
  public static final int CONTROLLER_DATA = 0x07;

  /** Controller: requests data. */
  public static final int READY_TO_TRANSFER = 0x09;

  /** Flag: a digest of the header follows it. */
  public static final int HEADER_DIGEST = 1;

  /** Flag: a digest of the data follows it. */
  public static final int DATA_DIGEST = 1 << 1;

  /** Flag of data: the last of its kind. */
  public static final int LAST = 1 << 2;

  /** Flag of data: the command succeeded, and no response follows. */
  public static final int SUCCESS = 1 << 3;

  private PduType() {}
}
