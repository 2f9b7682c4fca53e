package dev.holdfast.nbd;

/** Numbers of the NBD protocol, named as in its specification without the prefix NBD. */
public final class Wire {
  public static final long INIT_MAGIC = 0x4e42444d41474943L;
  public static final long OPTION_MAGIC = 0x49484156454f5054L;
  public static final long OPTION_REPLY_MAGIC = 0x3e889045565a9L;
  public static final int REQUEST_MAGIC = 0x25609513;
  public static final int EXTENDED_REQUEST_MAGIC = 0x21e41c71;
  public static final int SIMPLE_REPLY_MAGIC = 0x67446698;
  public static final int STRUCTURED_REPLY_MAGIC = 0x668e33ef;
  public static final int EXTENDED_REPLY_MAGIC = 0x6e8a278c;

  public static final int HANDSHAKE_FIXED_NEWSTYLE = 1;
  public static final int HANDSHAKE_NO_ZEROES = 2;

  public static final int OPT_EXPORT_NAME = 1;
  public static final int OPT_ABORT = 2;
  public static final int OPT_LIST = 3;
  public static final int OPT_STARTTLS = 5;
  public static final int OPT_INFO = 6;
  public static final int OPT_GO = 7;
  public static final int OPT_STRUCTURED_REPLY = 8;
  public static final int OPT_LIST_META_CONTEXT = 9;
  public static final int OPT_SET_META_CONTEXT = 10;
  public static final int OPT_EXTENDED_HEADERS = 11;

  public static final int REP_ACK = 1;
  public static final int REP_SERVER = 2;
  public static final int REP_INFO = 3;
  public static final int REP_META_CONTEXT = 4;
  public static final int REP_ERR_UNSUP = 0x80000001;
  public static final int REP_ERR_POLICY = 0x80000002;
  public static final int REP_ERR_INVALID = 0x80000003;
  public static final int REP_ERR_TLS_REQD = 0x80000005;
  public static final int REP_ERR_UNKNOWN = 0x80000006;
  public static final int REP_ERR_EXT_HEADER_REQD = 0x8000000a;

  public static final int INFO_EXPORT = 0;
  public static final int INFO_NAME = 1;
  public static final int INFO_BLOCK_SIZE = 3;

  public static final int FLAG_HAS_FLAGS = 1;
  public static final int FLAG_READ_ONLY = 1 << 1;
  public static final int FLAG_SEND_FLUSH = 1 << 2;
  public static final int FLAG_SEND_FUA = 1 << 3;
  public static final int FLAG_SEND_TRIM = 1 << 5;
  public static final int FLAG_SEND_WRITE_ZEROES = 1 << 6;
  public static final int FLAG_SEND_DF = 1 << 7;
  public static final int FLAG_CAN_MULTI_CONN = 1 << 8;
  public static final int FLAG_SEND_CACHE = 1 << 10;
  public static final int FLAG_SEND_FAST_ZERO = 1 << 11;

  public static final int CMD_READ = 0;
  public static final int CMD_WRITE = 1;
  public static final int CMD_DISC = 2;
  public static final int CMD_FLUSH = 3;
  public static final int CMD_TRIM = 4;
  public static final int CMD_CACHE = 5;
  public static final int CMD_WRITE_ZEROES = 6;
  public static final int CMD_BLOCK_STATUS = 7;

  public static final int CMD_FLAG_FUA = 1;
  public static final int CMD_FLAG_NO_HOLE = 2;
  public static final int CMD_FLAG_DF = 4;
  public static final int CMD_FLAG_REQ_ONE = 8;
  public static final int CMD_FLAG_FAST_ZERO = 16;
  public static final int CMD_FLAG_PAYLOAD_LEN = 32;

  public static final int REPLY_FLAG_DONE = 1;
  public static final int REPLY_NONE = 0;
  public static final int REPLY_OFFSET_DATA = 1;
  public static final int REPLY_BLOCK_STATUS = 5;
  public static final int REPLY_BLOCK_STATUS_EXTENDED = 6;
  public static final int REPLY_ERROR = 0x8001;
  public static final int REPLY_ERROR_OFFSET = 0x8002;

  public static final int STATE_HOLE = 1;
  public static final int STATE_ZERO = 2;

  public static final int EPERM = 1;
  public static final int EIO = 5;
  public static final int EINVAL = 22;
  public static final int ENOSPC = 28;
  public static final int EOVERFLOW = 75;
  public static final int ENOTSUP = 95;

  /** Maximum payload of a read or write in bytes. */
  public static final int MAXIMUM_PAYLOAD = 32 << 20;

  /** Maximum length of a name, query or message of the protocol in bytes. */
  public static final int MAXIMUM_STRING = 4096;

  private Wire() {}
}
