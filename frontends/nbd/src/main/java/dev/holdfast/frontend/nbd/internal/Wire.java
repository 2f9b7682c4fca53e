package dev.holdfast.frontend.nbd.internal;

/** Numbers of the NBD protocol, named as in its specification without the prefix NBD. */
final class Wire {
  static final long INIT_MAGIC = 0x4e42444d41474943L;
  static final long OPTION_MAGIC = 0x49484156454f5054L;
  static final long OPTION_REPLY_MAGIC = 0x3e889045565a9L;
  static final int REQUEST_MAGIC = 0x25609513;
  static final int EXTENDED_REQUEST_MAGIC = 0x21e41c71;
  static final int SIMPLE_REPLY_MAGIC = 0x67446698;
  static final int STRUCTURED_REPLY_MAGIC = 0x668e33ef;
  static final int EXTENDED_REPLY_MAGIC = 0x6e8a278c;

  static final int HANDSHAKE_FIXED_NEWSTYLE = 1;
  static final int HANDSHAKE_NO_ZEROES = 2;

  static final int OPT_EXPORT_NAME = 1;
  static final int OPT_ABORT = 2;
  static final int OPT_LIST = 3;
  static final int OPT_STARTTLS = 5;
  static final int OPT_INFO = 6;
  static final int OPT_GO = 7;
  static final int OPT_STRUCTURED_REPLY = 8;
  static final int OPT_LIST_META_CONTEXT = 9;
  static final int OPT_SET_META_CONTEXT = 10;
  static final int OPT_EXTENDED_HEADERS = 11;

  static final int REP_ACK = 1;
  static final int REP_SERVER = 2;
  static final int REP_INFO = 3;
  static final int REP_META_CONTEXT = 4;
  static final int REP_ERR_UNSUP = 0x80000001;
  static final int REP_ERR_POLICY = 0x80000002;
  static final int REP_ERR_INVALID = 0x80000003;
  static final int REP_ERR_TLS_REQD = 0x80000005;
  static final int REP_ERR_UNKNOWN = 0x80000006;
  static final int REP_ERR_EXT_HEADER_REQD = 0x8000000a;

  static final int INFO_EXPORT = 0;
  static final int INFO_NAME = 1;
  static final int INFO_BLOCK_SIZE = 3;

  static final int FLAG_HAS_FLAGS = 1;
  static final int FLAG_SEND_FLUSH = 1 << 2;
  static final int FLAG_SEND_FUA = 1 << 3;
  static final int FLAG_SEND_TRIM = 1 << 5;
  static final int FLAG_SEND_WRITE_ZEROES = 1 << 6;
  static final int FLAG_SEND_DF = 1 << 7;
  static final int FLAG_CAN_MULTI_CONN = 1 << 8;
  static final int FLAG_SEND_CACHE = 1 << 10;
  static final int FLAG_SEND_FAST_ZERO = 1 << 11;

  static final int CMD_READ = 0;
  static final int CMD_WRITE = 1;
  static final int CMD_DISC = 2;
  static final int CMD_FLUSH = 3;
  static final int CMD_TRIM = 4;
  static final int CMD_CACHE = 5;
  static final int CMD_WRITE_ZEROES = 6;
  static final int CMD_BLOCK_STATUS = 7;

  static final int CMD_FLAG_FUA = 1;
  static final int CMD_FLAG_NO_HOLE = 2;
  static final int CMD_FLAG_DF = 4;
  static final int CMD_FLAG_REQ_ONE = 8;
  static final int CMD_FLAG_FAST_ZERO = 16;
  static final int CMD_FLAG_PAYLOAD_LEN = 32;

  static final int REPLY_FLAG_DONE = 1;
  static final int REPLY_NONE = 0;
  static final int REPLY_OFFSET_DATA = 1;
  static final int REPLY_BLOCK_STATUS = 5;
  static final int REPLY_BLOCK_STATUS_EXTENDED = 6;
  static final int REPLY_ERROR = 0x8001;
  static final int REPLY_ERROR_OFFSET = 0x8002;

  static final int STATE_HOLE = 1;
  static final int STATE_ZERO = 2;

  static final int EPERM = 1;
  static final int EIO = 5;
  static final int EINVAL = 22;
  static final int ENOSPC = 28;
  static final int EOVERFLOW = 75;
  static final int ENOTSUP = 95;

  /** The largest payload of a read or write. */
  static final int MAXIMUM_PAYLOAD = 32 << 20;

  /** The longest name, query or message of the protocol. */
  static final int MAXIMUM_STRING = 4096;

  private Wire() {}
}
