package ${package};

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.IoFlags;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.InputLease;
import dev.holdfast.frontend.ReplaceableSession;
import dev.holdfast.frontend.Reply;
import dev.holdfast.frontend.SessionState;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** One client: {@code ATTACH} first, then requests, answered in the order of their completion. */
final class LineSession implements ReplaceableSession {
  static final String FORMAT = "${artifactId}";

  /** Raised with every field that is added to the state. */
  static final int VERSION = 1;

  private static final int LONGEST_LINE = 512;
  private static final int LARGEST = 32 << 20;

  private final FrontendConnection connection;

  /** Requests at the device, and one for the session itself until it is stopped. */
  private final AtomicInteger users = new AtomicInteger(1);

  private Optional<BlockDevice> device;
  private boolean closing;
  private volatile Runnable stopped = () -> {};

  LineSession(FrontendConnection connection) {
    this.connection = connection;
    this.device = connection.export().attached();
  }

  @Override
  public int received(ByteBuffer input) {
    int needed = 0;
    while (needed == 0 && !closing) {
      int length = lineLength(input);
      if (length < 0) {
        break;
      }
      byte[] line = new byte[length];
      input.get(input.position(), line);
      needed = take(new Words(line), length + 1, input);
    }
    return needed;
  }

  /** Returns the length without the end of the line, -1 while that has not come. */
  private int lineLength(ByteBuffer input) {
    int most = Math.min(input.remaining(), LONGEST_LINE);
    for (int i = 0; i < most; i++) {
      if (input.get(input.position() + i) == '\n') {
        return i;
      }
    }
    if (most == LONGEST_LINE) {
      refuse("line too long");
    }
    return -1;
  }

  /** Consumes one message; returns how many bytes it needs when they have not all come. */
  private int take(Words words, int head, ByteBuffer input) {
    int payload = 0;
    if (words.verb().equals("WRITE")) {
      if (words.length() < 0 || words.length() > LARGEST) {
        refuse("no such length");
        return 0;
      }
      payload = (int) words.length();
      if (input.remaining() < head + payload) {
        return head + payload;
      }
    }
    ByteBuffer content = input.slice(input.position() + head, payload);
    input.position(input.position() + head + payload);
    if (device.isPresent()) {
      request(words, content, device.get());
    } else {
      attach(words);
    }
    return 0;
  }

  private void attach(Words words) {
    device = words.verb().equals("ATTACH") ? connection.export().attach(words.tag()) : Optional.empty();
    if (device.isPresent()) {
      say("OK " + device.get().size());
    } else {
      refuse("no such export");
    }
  }

  private void request(Words words, ByteBuffer content, BlockDevice target) {
    switch (words.verb()) {
      case "READ" -> read(words, target);
      case "WRITE" -> {
        InputLease lease = connection.retainInput();
        Completion answer = answer(words);
        target.write(
            words.offset(),
            content,
            words.durable() ? IoFlags.FUA : IoFlags.NONE,
            failure -> {
              lease.release();
              answer.completed(failure);
            });
      }
      case "ZERO" ->
          target.writeZeroes(words.offset(), words.length(), IoFlags.NONE, answer(words));
      case "FLUSH" -> target.flush(answer(words));
      default -> refuse("no such request");
    }
  }

  private void read(Words words, BlockDevice target) {
    if (words.length() < 0 || words.length() > LARGEST) {
      answer(words).completed(new StorageException(ErrorCode.INVALID, "no such length"));
      return;
    }
    int length = (int) words.length();
    Reply reply = connection.reply(LONGEST_LINE + length);
    ByteBuffer buffer = reply.buffer();
    buffer.put(line(words.tag() + " OK " + length));
    buffer.limit(buffer.position() + length);
    users.incrementAndGet();
    target.read(
        words.offset(),
        buffer,
        failure -> {
          if (failure != null) {
            buffer.clear().put(line(words.tag() + " ERROR " + failure.code()));
          }
          reply.send();
          leave();
        });
  }

  /** Takes a reply and a place at the device; both are given back by the completion. */
  private Completion answer(Words words) {
    Reply reply = connection.reply(LONGEST_LINE);
    users.incrementAndGet();
    return failure -> {
      String outcome = failure == null ? " OK 0" : " ERROR " + failure.code();
      reply.buffer().put(line(words.tag() + outcome));
      reply.send();
      leave();
    };
  }

  private void refuse(String why) {
    say("ERROR " + why);
    closing = true;
    connection.close();
  }

  private void say(String text) {
    Reply reply = connection.reply(LONGEST_LINE);
    reply.buffer().put(line(text));
    reply.send();
  }

  private static byte[] line(String text) {
    return (text + "\n").getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void stop(Runnable whenStopped) {
    stopped = whenStopped;
    leave();
  }

  /** The export is all that a session remembers, and the connection knows that. */
  @Override
  public SessionState state() {
    return new SessionState(FORMAT, VERSION, VERSION, Map.of());
  }

  private void leave() {
    if (users.decrementAndGet() == 0) {
      stopped.run();
    }
  }
}
