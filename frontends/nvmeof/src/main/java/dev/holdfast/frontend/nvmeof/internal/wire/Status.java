package dev.holdfast.frontend.nvmeof.internal.wire;

/** Statuses of completions: type and code, including the bit that forbids a retry. */
public final class Status {
  /** Bit: the same command would fail again. */
  public static final int DO_NOT_RETRY = 1 << 14;

  /** No error. */
  public static final int SUCCESS = 0;

  /** The opcode is not supported. */
  public static final int INVALID_OPCODE = 0x01 | DO_NOT_RETRY;

  /** A field has a wrong value. */
  public static final int INVALID_FIELD = 0x02 | DO_NOT_RETRY;

  /** An internal error of the controller. */
  public static final int INTERNAL_ERROR = 0x06;

  /** The host asked to abort the command. */
  public static final int ABORT_REQUESTED = 0x07;

  /** The other command of two fused ones failed. */
  public static final int FAILED_FUSED = 0x09 | DO_NOT_RETRY;

  /** The other command of two fused ones is missing. */
  public static final int MISSING_FUSED = 0x0a | DO_NOT_RETRY;

  /** The namespace does not exist, or its format does not match. */
  public static final int INVALID_NAMESPACE = 0x0b | DO_NOT_RETRY;

  /** Commands arrived in a wrong order. */
  public static final int SEQUENCE_ERROR = 0x0c | DO_NOT_RETRY;

  /** The descriptor's length does not match the command. */
  public static final int DATA_LENGTH_INVALID = 0x0f | DO_NOT_RETRY;

  /** The type of descriptor is not supported. */
  public static final int SGL_TYPE_INVALID = 0x11 | DO_NOT_RETRY;

  /** More blocks than can be written atomically. */
  public static final int ATOMIC_UNIT_EXCEEDED = 0x14 | DO_NOT_RETRY;

  /** The offset in the capsule is wrong. */
  public static final int SGL_OFFSET_INVALID = 0x16 | DO_NOT_RETRY;

  /** The keep-alive time-out is 0 or too long. */
  public static final int KEEP_ALIVE_INVALID = 0x19 | DO_NOT_RETRY;

  /** The command failed temporarily and may be retried. */
  public static final int INTERRUPTED = 0x21;

  /** Data were damaged in transit. */
  public static final int TRANSIENT_TRANSPORT = 0x22;

  /** A range ends past the end of the namespace. */
  public static final int LBA_OUT_OF_RANGE = 0x80 | DO_NOT_RETRY;

  /** The device has no space left. */
  public static final int CAPACITY_EXCEEDED = 0x81 | DO_NOT_RETRY;

  /** The namespace becomes ready later. */
  public static final int NAMESPACE_NOT_READY = 0x82;

  /** Another host's reservation forbids the command. */
  public static final int RESERVATION_CONFLICT = 0x83 | DO_NOT_RETRY;

  /** The host has too many asynchronous event requests. */
  public static final int EVENT_LIMIT_EXCEEDED = 0x105 | DO_NOT_RETRY;

  /** The log is not supported. */
  public static final int INVALID_LOG = 0x109 | DO_NOT_RETRY;

  /** The feature cannot be saved. */
  public static final int NOT_SAVEABLE = 0x10d | DO_NOT_RETRY;

  /** The feature cannot be changed. */
  public static final int NOT_CHANGEABLE = 0x10e | DO_NOT_RETRY;

  /** Connect: the record format is unknown. */
  public static final int CONNECT_FORMAT = 0x180 | DO_NOT_RETRY;

  /** Connect: the controller is in use. */
  public static final int CONNECT_BUSY = 0x181;

  /** Connect: a parameter is invalid; the result contains its offset. */
  public static final int CONNECT_INVALID = 0x182 | DO_NOT_RETRY;

  /** Connect: this host is not permitted. */
  public static final int CONNECT_INVALID_HOST = 0x184 | DO_NOT_RETRY;

  /** The queue does not exist. */
  public static final int INVALID_QUEUE_TYPE = 0x185 | DO_NOT_RETRY;

  /** The host must authenticate first. */
  public static final int AUTHENTICATION_REQUIRED = 0x191 | DO_NOT_RETRY;

  /** The compared data differs. */
  public static final int COMPARE_FAILURE = 0x285 | DO_NOT_RETRY;

  /** Access is denied. */
  public static final int ACCESS_DENIED = 0x286 | DO_NOT_RETRY;

  /** This path does not reach the data at present. */
  public static final int INTERNAL_PATH_ERROR = 0x300;

  /** The access state of this path does not permit the command: the host uses another path. */
  public static final int PATH_INACCESSIBLE = 0x302;

  private Status() {}
}
