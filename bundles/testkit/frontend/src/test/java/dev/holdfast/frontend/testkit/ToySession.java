package dev.holdfast.frontend.testkit;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.IoFlags;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.InputLease;
import dev.holdfast.frontend.ReplaceableSession;
import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.SessionState;
import dev.holdfast.frontend.testkit.ToyFrontend.Mistake;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One client. A request is kind (1 byte), tag (4), offset (8), length (4), and data for writes; a
 * reply is tag (4), status (1: 0 or 1), length (4), and data or the error code.
 */
final class ToySession implements ReplaceableSession {
  static final int HEADER = 17;
  static final int REPLY_HEADER = 9;
  private static final int LONGEST_CODE = 32;
  static final byte ATTACH = 1;
  static final byte READ = 2;
  static final byte WRITE = 3;
  static final byte DURABLE_WRITE = 4;
  static final byte FLUSH = 5;
  static final byte ZERO = 6;

  private final FrontendConnection connection;
  private final Optional<Mistake> mistake;

  /** Requests at the device, and one for the session itself until it is stopped. */
  private final AtomicInteger users = new AtomicInteger(1);

  private Optional<BlockDevice> device;
  private volatile Runnable stopped = () -> {};

  ToySession(FrontendConnection connection, Optional<Mistake> mistake) {
    this.connection = connection;
    this.mistake = mistake;
    this.device =
        does(Mistake.FORGETS_THE_EXPORT) ? Optional.empty() : connection.export().attached();
  }

  private boolean does(Mistake planted) {
    return mistake.filter(planted::equals).isPresent();
  }

  @Override
  public int received(ByteBuffer input) {
    while (input.remaining() >= HEADER) {
      int start = input.position();
      byte kind = input.get(start);
      int length = input.getInt(start + 13);
      boolean withData = kind == WRITE || kind == DURABLE_WRITE || kind == ATTACH;
      int needed = HEADER + (withData ? length : 0);
      if (input.remaining() < needed) {
        return needed;
      }
      ByteBuffer data = input.slice(start + HEADER, needed - HEADER);
      input.position(start + needed);
      request(kind, input.getInt(start + 1), input.getLong(start + 5), length, data);
    }
    return HEADER;
  }

  private void request(byte kind, int tag, long offset, int length, ByteBuffer data) {
    if (kind == ATTACH) {
      attach(tag, StandardCharsets.UTF_8.decode(data).toString());
      return;
    }
    BlockDevice target = device.orElseThrow();
    switch (kind) {
      case READ -> read(target, tag, offset, length);
      case WRITE, DURABLE_WRITE -> write(target, kind, tag, offset, data);
      case FLUSH -> {
        Completion reply = reply(tag);
        if (does(Mistake.ACKNOWLEDGES_WITHOUT_FLUSH)) {
          reply.completed(null);
        } else {
          target.flush(reply);
        }
      }
      default -> target.writeZeroes(offset, length, IoFlags.NONE, reply(tag));
    }
  }

  private void attach(int tag, String export) {
    device = connection.export().attach(export);
    if (device.isEmpty() && does(Mistake.ACCEPTS_ANY_EXPORT)) {
      device = connection.export().attach(connection.export().exports().names().get(0));
    }
    Reply reply = connection.reply(REPLY_HEADER);
    reply.buffer().putInt(tag).put((byte) (device.isPresent() ? 0 : 1)).putInt(0);
    reply.send();
    if (device.isEmpty()) {
      connection.close();
    }
  }

  private void read(BlockDevice target, int tag, long offset, int length) {
    Reply reply = connection.reply(REPLY_HEADER + LONGEST_CODE + length);
    ByteBuffer buffer = reply.buffer();
    buffer.putInt(tag).put((byte) 0).putInt(length).limit(REPLY_HEADER + length);
    users.incrementAndGet();
    target.read(
        offset,
        buffer,
        failure -> {
          if (failure != null) {
            fill(buffer.clear(), tag, failure);
          }
          reply.send();
          leave();
        });
  }

  private void write(BlockDevice target, byte kind, int tag, long offset, ByteBuffer data) {
    Completion reply = reply(tag);
    if (does(Mistake.REPLIES_TOO_EARLY)) {
      reply.completed(null);
      reply = failure -> {};
    }
    InputLease lease = connection.retainInput();
    if (does(Mistake.LETS_THE_INPUT_GO)) {
      lease.release();
      lease = () -> {};
    }
    InputLease held = lease;
    Completion answer = reply;
    target.write(
        offset,
        data,
        kind == DURABLE_WRITE ? IoFlags.FUA : IoFlags.NONE,
        failure -> {
          held.release();
          answer.completed(failure);
        });
  }

  private Completion reply(int tag) {
    Reply reply = connection.reply(REPLY_HEADER + LONGEST_CODE);
    users.incrementAndGet();
    return failure -> {
      fill(reply.buffer(), tag, failure);
      reply.send();
      leave();
    };
  }

  private void fill(ByteBuffer buffer, int tag, StorageException failure) {
    boolean fails = failure != null && !does(Mistake.HIDES_FAILURES);
    byte[] code = fails ? failure.code().name().getBytes(StandardCharsets.US_ASCII) : new byte[0];
    buffer.putInt(tag).put((byte) (fails ? 1 : 0)).putInt(code.length).put(code);
  }

  @Override
  public void stop(Runnable whenStopped) {
    stopped = whenStopped;
    leave();
  }

  @Override
  public SessionState state() {
    return new SessionState(ToyFrontend.FORMAT, ToyFrontend.VERSION, 1, Map.of());
  }

  private void leave() {
    if (users.decrementAndGet() == 0) {
      stopped.run();
    }
  }
}
