package dev.holdfast.frontend.nbd.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.IoFlags;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.SessionState;
import dev.holdfast.nbd.Wire;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The transmission phase. The connection's thread parses and issues requests; the completing thread
 * replies. A device that completes within the call causes neither a change of thread nor an
 * allocation.
 */
final class Transmission {
  /** Large reads are answered in chunks of this size, so that a copy is still in the cache. */
  private static final int PART = 256 << 10;

  private static final int STATUS_BYTES = 64 << 10;
  private static final int CACHED_BYTES = 1 << 20;
  private static final int SMALL = 512;

  private final FrontendConnection connection;
  private final BlockDevice device;
  private final ReplyStyle style;
  private final boolean allocation;
  private final Header header = new Header();
  private final ArrayDeque<NbdRequest> idle = new ArrayDeque<>();
  private final AtomicInteger users = new AtomicInteger(1);
  private volatile Runnable stopped;
  private long skipping;
  private boolean ended;

  Transmission(
      FrontendConnection connection, BlockDevice device, ReplyStyle style, boolean allocation) {
    this.connection = connection;
    this.device = device;
    this.style = style;
    this.allocation = allocation;
  }

  /** Resumes the transmission of another session. */
  static Transmission resume(FrontendConnection connection, SessionState state)
      throws StorageException {
    BlockDevice device =
        connection
            .export()
            .attached()
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.NOT_FOUND, "the session's connection has no export"));
    Transmission transmission =
        new Transmission(
            connection, device, SessionFields.style(state), state.flag(SessionFields.ALLOCATION));
    transmission.skipping = state.number(SessionFields.SKIP, 0);
    transmission.ended = state.flag(SessionFields.ENDED);
    return transmission;
  }

  /** State for {@link #resume}. */
  Map<String, String> fields() {
    return Map.of(
        SessionFields.PHASE, SessionFields.TRANSMISSION,
        SessionFields.STYLE, SessionFields.name(style),
        SessionFields.ALLOCATION, String.valueOf(allocation),
        SessionFields.SKIP, String.valueOf(skipping),
        SessionFields.ENDED, String.valueOf(ended));
  }

  int received(ByteBuffer input) {
    while (!ended) {
      if (skipping > 0) {
        skip(input);
      }
      if (input.remaining() < style.requestHeader()) {
        return style.requestHeader();
      }
      if (!header.decode(input, style)) {
        end();
        break;
      }
      long payload = header.payload();
      if (payload < 0 || payload > 2L * Wire.MAXIMUM_PAYLOAD) {
        end();
      } else if (header.type() == Wire.CMD_WRITE && payload <= Wire.MAXIMUM_PAYLOAD) {
        int whole = style.requestHeader() + (int) payload;
        if (input.remaining() < whole) {
          return whole;
        }
        write(input, (int) payload);
        input.position(input.position() + whole);
      } else {
        input.position(input.position() + style.requestHeader());
        skipping = payload;
        execute();
      }
    }
    input.position(input.limit());
    return 0;
  }

  void stop(Runnable whenStopped) {
    stopped = whenStopped;
    leave();
  }

  /** Completes a request that the device finished later, on any thread. */
  void completedLater(NbdRequest request) {
    request.releaseLease();
    request.answer(style);
    recycle(request);
    leave();
  }

  private void skip(ByteBuffer input) {
    int count = (int) Math.min(skipping, input.remaining());
    input.position(input.position() + count);
    skipping -= count;
  }

  private void end() {
    ended = true;
    connection.close();
  }

  private void write(ByteBuffer input, int length) {
    boolean wrongFlags = unknownFlags(Wire.CMD_FLAG_FUA | Wire.CMD_FLAG_PAYLOAD_LEN);
    boolean unannounced = style == ReplyStyle.EXTENDED && !header.has(Wire.CMD_FLAG_PAYLOAD_LEN);
    if (wrongFlags || unannounced) {
      refuse(Wire.EINVAL, "the write's flags are wrong");
    } else if (!header.inside(device.size())) {
      refuse(Wire.ENOSPC, "the write ends past the end of the device");
    } else {
      NbdRequest request = request(SMALL, length);
      int start = input.position() + style.requestHeader();
      device.write(header.offset(), request.source(input, start, length), durability(), request);
      settle(request, true);
    }
  }

  private void execute() {
    switch (header.type()) {
      case Wire.CMD_READ -> read();
      case Wire.CMD_WRITE -> refuse(Wire.EINVAL, "the write is larger than 32 MiB");
      case Wire.CMD_DISC -> end();
      case Wire.CMD_FLUSH -> flush();
      case Wire.CMD_TRIM -> trim();
      case Wire.CMD_CACHE -> cache();
      case Wire.CMD_WRITE_ZEROES -> writeZeroes();
      case Wire.CMD_BLOCK_STATUS -> blockStatus();
      default -> refuse(Wire.EINVAL, "the command is not known here");
    }
  }

  private void read() {
    if (!acceptable(style == ReplyStyle.SIMPLE ? 0 : Wire.CMD_FLAG_DF, Wire.EINVAL)) {
      return;
    }
    if (header.length() > Wire.MAXIMUM_PAYLOAD) {
      int error = header.has(Wire.CMD_FLAG_DF) ? Wire.EOVERFLOW : Wire.EINVAL;
      refuse(error, "the read is larger than 32 MiB");
      return;
    }
    int length = (int) header.length();
    if (length == 0 && style != ReplyStyle.SIMPLE) {
      // A data chunk must have at least one byte: clients end the connection at an empty one.
      refuse(Wire.EINVAL, "the read has a length of 0");
      return;
    }
    if (length <= PART || style == ReplyStyle.SIMPLE || header.has(Wire.CMD_FLAG_DF)) {
      readPart(header.offset(), length, null);
      return;
    }
    ReadParts parts = new ReadParts((length + PART - 1) / PART);
    for (int done = 0; done < length; done += PART) {
      readPart(header.offset() + done, Math.min(PART, length - done), parts);
    }
  }

  private void readPart(long offset, int length, ReadParts parts) {
    Reply reply = connection.reply(Math.max(SMALL, style.dataOffset() + length));
    NbdRequest request = take().begin(reply, header, offset, length);
    request.parts(parts);
    ByteBuffer target = reply.buffer();
    target.limit(style.dataOffset() + length).position(style.dataOffset());
    device.read(offset, target, request);
    settle(request, false);
  }

  private void flush() {
    if (unknownFlags(Wire.CMD_FLAG_FUA) || header.offset() != 0 || header.length() != 0) {
      refuse(Wire.EINVAL, "a flush has no flags and no range");
      return;
    }
    NbdRequest request = request(SMALL, 0);
    device.flush(request);
    settle(request, false);
  }

  private void trim() {
    if (acceptable(0, Wire.EINVAL)) {
      NbdRequest request = request(SMALL, 0);
      device.trim(header.offset(), header.length(), durability(), request);
      settle(request, false);
    }
  }

  private void writeZeroes() {
    int known = Wire.CMD_FLAG_NO_HOLE | Wire.CMD_FLAG_FAST_ZERO;
    if (!acceptable(known, Wire.ENOSPC)) {
      return;
    }
    boolean noHole = header.has(Wire.CMD_FLAG_NO_HOLE);
    if (noHole && header.has(Wire.CMD_FLAG_FAST_ZERO)) {
      // Devices zero quickly by making holes; without a hole they may have to write.
      refuse(Wire.ENOTSUP, "zeroes that stay allocated are not known to be fast");
      return;
    }
    NbdRequest request = request(SMALL, 0);
    int flags = durability() | (noHole ? IoFlags.NO_HOLE : IoFlags.NONE);
    device.writeZeroes(header.offset(), header.length(), flags, request);
    settle(request, false);
  }

  /** Reads the beginning of the range into the caches below, and discards the data. */
  private void cache() {
    if (acceptable(0, Wire.EINVAL)) {
      int length = (int) Math.min(header.length(), CACHED_BYTES);
      NbdRequest request = request(Math.max(SMALL, length), length);
      device.read(header.offset(), request.scratch(length), request);
      settle(request, false);
    }
  }

  private void blockStatus() {
    if (!acceptable(Wire.CMD_FLAG_REQ_ONE, Wire.EINVAL)) {
      return;
    }
    if (!allocation || header.length() == 0) {
      refuse(Wire.EINVAL, "block status needs a context and a range");
      return;
    }
    NbdRequest request = request(STATUS_BYTES, 0);
    BlockStatus status =
        new BlockStatus(
            request.scratch(STATUS_BYTES),
            style,
            header.offset(),
            header.length(),
            header.has(Wire.CMD_FLAG_REQ_ONE));
    request.status(status);
    device.extents(header.offset(), header.length(), status, request);
    settle(request, false);
  }

  /** Checks flags and range; refuses the request when one is wrong. */
  private boolean acceptable(int flags, int outside) {
    if (unknownFlags(flags | Wire.CMD_FLAG_FUA)) {
      refuse(Wire.EINVAL, "the command's flags are wrong");
      return false;
    }
    if (!header.inside(device.size())) {
      refuse(outside, "the range ends past the end of the device");
      return false;
    }
    return true;
  }

  private boolean unknownFlags(int known) {
    return (header.flags() & ~known) != 0;
  }

  private int durability() {
    return header.has(Wire.CMD_FLAG_FUA) ? IoFlags.FUA : IoFlags.NONE;
  }

  private void refuse(int error, String message) {
    Reply reply = connection.reply(SMALL);
    style.putError(
        reply.buffer(), true, header.cookie(), header.offset(), error, ErrorText.of(message));
    reply.send();
  }

  private NbdRequest request(int capacity, int length) {
    return take().begin(connection.reply(capacity), header, header.offset(), length);
  }

  private void settle(NbdRequest request, boolean readsInput) {
    if (!request.completed()) {
      users.incrementAndGet();
      if (readsInput) {
        request.lease(connection.retainInput());
      }
      if (request.detach()) {
        return;
      }
      request.releaseLease();
      users.decrementAndGet();
    }
    request.answer(style);
    recycle(request);
  }

  private void leave() {
    if (users.decrementAndGet() == 0) {
      stopped.run();
    }
  }

  private NbdRequest take() {
    synchronized (idle) {
      NbdRequest request = idle.pollFirst();
      if (request != null) {
        return request;
      }
    }
    return new NbdRequest(this);
  }

  private void recycle(NbdRequest request) {
    synchronized (idle) {
      idle.addFirst(request);
    }
  }
}
