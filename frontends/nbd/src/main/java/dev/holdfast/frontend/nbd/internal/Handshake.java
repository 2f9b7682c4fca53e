package dev.holdfast.frontend.nbd.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.SessionState;
import dev.holdfast.frontend.TlsPolicy;
import dev.holdfast.nbd.Wire;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Fixed newstyle negotiation: greeting, client flags, then options until one begins transmission.
 */
final class Handshake {
  private static final String REMEDY =
      "make one with 'holdfast client add'; programs of the node's account use the address of"
          + " 'holdfast volume endpoint'";
  private static final int OPTION_HEADER = 16;
  private static final int MAXIMUM_OPTION = 64 << 10;

  /** Suffix that a client appends to the name of an export that may grow while it is used. */
  private static final String GROWABLE = "?growable";

  /** Larger than any volume. */
  private static final long ROOM = 1L << 50;

  private static final int EXPORT_NAME_ZEROES = 124;
  private static final String ALLOCATION = "base:allocation";
  private static final int ALLOCATION_ID = 1;

  private final FrontendConnection connection;
  private final OptionReplies replies;
  private boolean flagsReceived;
  private boolean noZeroes;
  private boolean ended;
  private ReplyStyle style = ReplyStyle.SIMPLE;
  private Optional<String> allocationOf = Optional.empty();
  private Optional<Transmission> outcome = Optional.empty();

  Handshake(FrontendConnection connection) {
    this.connection = connection;
    this.replies = new OptionReplies(connection);
  }

  void greet() {
    Reply reply = connection.reply(18);
    reply
        .buffer()
        .putLong(Wire.INIT_MAGIC)
        .putLong(Wire.OPTION_MAGIC)
        .putShort((short) (Wire.HANDSHAKE_FIXED_NEWSTYLE | Wire.HANDSHAKE_NO_ZEROES));
    reply.send();
  }

  /** Resumes the handshake of another session. */
  static Handshake resume(FrontendConnection connection, SessionState state)
      throws StorageException {
    Handshake handshake = new Handshake(connection);
    handshake.flagsReceived = state.flag(SessionFields.FLAGS_RECEIVED);
    handshake.noZeroes = state.flag(SessionFields.NO_ZEROES);
    handshake.ended = state.flag(SessionFields.ENDED);
    handshake.style = SessionFields.style(state);
    handshake.allocationOf = state.text(SessionFields.ALLOCATION_OF);
    return handshake;
  }

  /** State for {@link #resume}. */
  Map<String, String> fields() {
    Map<String, String> fields = new HashMap<>();
    fields.put(SessionFields.PHASE, SessionFields.HANDSHAKE);
    fields.put(SessionFields.FLAGS_RECEIVED, String.valueOf(flagsReceived));
    fields.put(SessionFields.NO_ZEROES, String.valueOf(noZeroes));
    fields.put(SessionFields.ENDED, String.valueOf(ended));
    fields.put(SessionFields.STYLE, SessionFields.name(style));
    allocationOf.ifPresent(export -> fields.put(SessionFields.ALLOCATION_OF, export));
    return fields;
  }

  /** Returns the transmission once the client has chosen an export. */
  Optional<Transmission> outcome() {
    return outcome;
  }

  int received(ByteBuffer input) {
    if (!flagsReceived && input.remaining() >= Integer.BYTES) {
      clientFlags(input.getInt());
    }
    while (!ended && outcome.isEmpty()) {
      if (!flagsReceived || input.remaining() < OPTION_HEADER) {
        return flagsReceived ? OPTION_HEADER : Integer.BYTES;
      }
      int start = input.position();
      int length = input.getInt(start + 12);
      if (input.getLong(start) != Wire.OPTION_MAGIC || length < 0 || length > MAXIMUM_OPTION) {
        end(input);
      } else if (input.remaining() < OPTION_HEADER + length) {
        return OPTION_HEADER + length;
      } else {
        int option = input.getInt(start + 8);
        ByteBuffer data = input.slice(start + OPTION_HEADER, length);
        input.position(start + OPTION_HEADER + length);
        answer(option, new OptionData(data));
      }
    }
    if (ended) {
      end(input);
    }
    return 0;
  }

  private void clientFlags(int flags) {
    flagsReceived = true;
    noZeroes = (flags & Wire.HANDSHAKE_NO_ZEROES) != 0;
    // An unknown flag must end the connection.
    ended = (flags & ~(Wire.HANDSHAKE_FIXED_NEWSTYLE | Wire.HANDSHAKE_NO_ZEROES)) != 0;
  }

  private void end(ByteBuffer input) {
    ended = true;
    input.position(input.limit());
    connection.close();
  }

  private void answer(int option, OptionData data) {
    try {
      if (needsTls(option)) {
        if (option == Wire.OPT_EXPORT_NAME) {
          ended = true;
        } else {
          replies.error(option, Wire.REP_ERR_TLS_REQD, "change to TLS first");
        }
        return;
      }
      dispatch(option, data);
    } catch (MalformedOptionException e) {
      if (option == Wire.OPT_EXPORT_NAME) {
        ended = true;
      } else {
        replies.error(option, Wire.REP_ERR_INVALID, e.getMessage());
      }
    }
  }

  private boolean needsTls(int option) {
    return connection.security().tls() == TlsPolicy.REQUIRED
        && !connection.security().secured()
        && option != Wire.OPT_STARTTLS
        && option != Wire.OPT_ABORT;
  }

  private void dispatch(int option, OptionData data) throws MalformedOptionException {
    switch (option) {
      case Wire.OPT_EXPORT_NAME -> exportName(data.name());
      case Wire.OPT_ABORT -> {
        replies.acknowledge(option);
        ended = true;
      }
      case Wire.OPT_LIST -> {
        data.empty();
        list();
      }
      case Wire.OPT_STARTTLS -> {
        data.empty();
        startTls();
      }
      case Wire.OPT_INFO, Wire.OPT_GO -> describe(option, data.infoRequest());
      case Wire.OPT_STRUCTURED_REPLY -> {
        data.empty();
        structuredReplies();
      }
      case Wire.OPT_EXTENDED_HEADERS -> {
        data.empty();
        extendedHeaders();
      }
      case Wire.OPT_LIST_META_CONTEXT, Wire.OPT_SET_META_CONTEXT ->
          contexts(option, data.contextRequest());
      default -> replies.error(option, Wire.REP_ERR_UNSUP, "the option is not known here");
    }
  }

  /** A client without a proven identity receives the exports that need none, if any exist. */
  private void list() {
    List<String> names = connection.export().exports().names();
    if (names.isEmpty() && lacksIdentity("")) {
      refuse(Wire.OPT_LIST, "");
      return;
    }
    names.forEach(replies::server);
    replies.acknowledge(Wire.OPT_LIST);
  }

  private boolean lacksIdentity(String export) {
    return connection.export().needsIdentity(export) && !connection.security().identified();
  }

  /** Rejects a client with the reason why it may not use the export. */
  private void refuse(int option, String export) {
    if (!lacksIdentity(export)) {
      replies.error(option, Wire.REP_ERR_UNKNOWN, "export '" + export + "' does not exist");
    } else if (connection.security().secured()) {
      replies.error(option, Wire.REP_ERR_POLICY, "a client's certificate is required: " + REMEDY);
    } else {
      replies.error(
          option, Wire.REP_ERR_TLS_REQD, "TLS with a client's certificate is required: " + REMEDY);
    }
  }

  private void exportName(String wanted) {
    String export = plain(wanted);
    Optional<BlockDevice> device = connection.export().attach(export);
    if (device.isEmpty()) {
      ended = true;
      return;
    }
    Reply reply = connection.reply(10 + EXPORT_NAME_ZEROES);
    reply
        .buffer()
        .putLong(reportedSize(wanted, device.get()))
        .putShort((short) transmissionFlags(export));
    for (int i = 0; !noZeroes && i < EXPORT_NAME_ZEROES; i++) {
      reply.buffer().put((byte) 0);
    }
    reply.send();
    begin(export, device.get());
  }

  /** Returns an export's name without the options that a client appended. */
  private static String plain(String wanted) {
    return wanted.endsWith(GROWABLE)
        ? wanted.substring(0, wanted.length() - GROWABLE.length())
        : wanted;
  }

  /**
   * Returns the size that is reported to a client, because NBD reports it once. A client that
   * tracks the size itself requests a size that is never reached. Requests behind the real end
   * still fail.
   */
  private static long reportedSize(String wanted, BlockDevice device) {
    return wanted.endsWith(GROWABLE) ? Math.max(device.size(), ROOM) : device.size();
  }

  private void describe(int option, OptionData.InfoRequest request) {
    String export = plain(request.export());
    Optional<BlockDevice> device =
        option == Wire.OPT_GO
            ? connection.export().attach(export)
            : connection.export().exports().find(export);
    if (device.isEmpty()) {
      refuse(option, export);
      return;
    }
    replies.export(option, reportedSize(request.export(), device.get()), transmissionFlags(export));
    if (request.items().contains(Wire.INFO_NAME)) {
      replies.name(option, request.export());
    }
    replies.blockSize(option, device.get().blockSize());
    replies.acknowledge(option);
    if (option == Wire.OPT_GO) {
      begin(export, device.get());
    }
  }

  private void begin(String export, BlockDevice device) {
    boolean status = allocationOf.filter(export::equals).isPresent();
    outcome = Optional.of(new Transmission(connection, device, style, status));
  }

  private int transmissionFlags(String export) {
    return Wire.FLAG_HAS_FLAGS
        | (connection.export().readOnly(export) ? Wire.FLAG_READ_ONLY : 0)
        | Wire.FLAG_SEND_FLUSH
        | Wire.FLAG_SEND_FUA
        | Wire.FLAG_SEND_TRIM
        | Wire.FLAG_SEND_WRITE_ZEROES
        | Wire.FLAG_CAN_MULTI_CONN
        | Wire.FLAG_SEND_CACHE
        | Wire.FLAG_SEND_FAST_ZERO
        | (style == ReplyStyle.SIMPLE ? 0 : Wire.FLAG_SEND_DF);
  }

  private void startTls() {
    if (connection.security().secured()) {
      replies.error(Wire.OPT_STARTTLS, Wire.REP_ERR_INVALID, "TLS is on already");
    } else if (connection.security().tls() == TlsPolicy.OFF) {
      replies.error(Wire.OPT_STARTTLS, Wire.REP_ERR_POLICY, "TLS is not offered here");
    } else {
      replies.acknowledge(Wire.OPT_STARTTLS);
      connection.security().startTls();
      // Discard what was negotiated unencrypted, because a third party may have inserted it.
      style = ReplyStyle.SIMPLE;
      allocationOf = Optional.empty();
    }
  }

  private void structuredReplies() {
    switch (style) {
      case SIMPLE -> {
        style = ReplyStyle.STRUCTURED;
        replies.acknowledge(Wire.OPT_STRUCTURED_REPLY);
      }
      case STRUCTURED ->
          replies.error(
              Wire.OPT_STRUCTURED_REPLY, Wire.REP_ERR_INVALID, "structured replies are on already");
      case EXTENDED ->
          replies.error(
              Wire.OPT_STRUCTURED_REPLY,
              Wire.REP_ERR_EXT_HEADER_REQD,
              "extended headers are on already");
    }
  }

  private void extendedHeaders() {
    if (style == ReplyStyle.EXTENDED) {
      replies.error(
          Wire.OPT_EXTENDED_HEADERS, Wire.REP_ERR_INVALID, "extended headers are on already");
      return;
    }
    style = ReplyStyle.EXTENDED;
    replies.acknowledge(Wire.OPT_EXTENDED_HEADERS);
  }

  private void contexts(int option, OptionData.ContextRequest request) {
    boolean set = option == Wire.OPT_SET_META_CONTEXT;
    if (set) {
      allocationOf = Optional.empty();
    }
    if (style == ReplyStyle.SIMPLE) {
      replies.error(option, Wire.REP_ERR_INVALID, "ask for structured replies first");
    } else if (connection.export().exports().find(plain(request.export())).isEmpty()) {
      refuse(option, plain(request.export()));
    } else {
      List<String> queries = request.queries();
      boolean exact = queries.contains(ALLOCATION);
      if (set ? exact : exact || queries.isEmpty() || queries.contains("base:")) {
        replies.context(option, ALLOCATION_ID, ALLOCATION);
        allocationOf = set ? Optional.of(plain(request.export())) : allocationOf;
      }
      replies.acknowledge(option);
    }
  }
}
