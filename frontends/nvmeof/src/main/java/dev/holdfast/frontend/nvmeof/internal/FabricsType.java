package dev.holdfast.frontend.nvmeof.internal;

/** Types of fabrics commands that are asked for in more than one place. */
final class FabricsType {
  static final int CONNECT = 0x01;
  static final int AUTHENTICATION_SEND = 0x05;
  static final int AUTHENTICATION_RECEIVE = 0x06;
  static final int DISCONNECT = 0x08;

  private FabricsType() {}
}
