package dev.holdfast.frontend.nvmeof.internal.wire;

/** Types of fabrics commands that several classes use. */
public final class FabricsType {
  public static final int CONNECT = 0x01;
  public static final int AUTHENTICATION_SEND = 0x05;
  public static final int AUTHENTICATION_RECEIVE = 0x06;
  public static final int DISCONNECT = 0x08;

  private FabricsType() {}
}
