package dev.holdfast.engine.spdk.simulator.internal.tcp;

/** Numbers of commands, properties and status codes (NVMe Base 2.0, Fabrics 1.1). */
final class NvmeOpcodes {
  static final int FABRICS = 0x7f;
  static final int PROPERTY_SET = 0;
  static final int CONNECT = 1;
  static final int PROPERTY_GET = 4;
  static final int DISCONNECT = 8;

  static final int GET_LOG = 0x02;
  static final int IDENTIFY = 0x06;
  static final int ABORT = 0x08;
  static final int SET_FEATURES = 0x09;
  static final int GET_FEATURES = 0x0a;
  static final int EVENT_REQUEST = 0x0c;
  static final int KEEP_ALIVE = 0x18;

  static final int FLUSH = 0x00;
  static final int WRITE = 0x01;
  static final int READ = 0x02;
  static final int WRITE_ZEROES = 0x08;
  static final int DATASET_MANAGEMENT = 0x09;

  static final int SUCCESS = 0;
  static final int INVALID_OPCODE = 0x01;
  static final int INVALID_FIELD = 0x02;
  static final int INTERNAL_ERROR = 0x06;
  static final int INVALID_NAMESPACE = 0x0b;
  static final int SEQUENCE_ERROR = 0x0c;
  static final int OUT_OF_RANGE = 0x80;
  static final int INVALID_LOG = 0x109;
  static final int EVENT_LIMIT = 0x105;

  private NvmeOpcodes() {}
}
