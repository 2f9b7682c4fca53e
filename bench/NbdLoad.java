import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/**
 * Load for an NBD server over one connection, with simple replies.
 *
 * <p>Arguments: URI PIDS OPERATION BYTES DEPTH SECONDS SENDING. PIDS are separated by commas.
 * OPERATION is randread, randwrite, read or write. SENDING is unbatched (one send per request, as
 * libnbd does) or batched (one send per burst of answers, which shows the server's limit). After a
 * warm-up of a quarter of the time it prints one line: operations, nanoseconds, and the CPU
 * nanoseconds of the processes in that time.
 */
final class NbdLoad implements Measurement.Load {
  private static final int REQUEST_BYTES = 28;
  private static final int REPLY_BYTES = 16;
  private static final int REPLY_MAGIC = 0x67446698;

  private final SocketChannel channel;
  private final long size;
  private final boolean writing;
  private final boolean random;
  private final boolean batched;
  private final int length;
  private final int depth;
  private final SplittableRandom offsets = new SplittableRandom(1);
  private final ByteBuffer out;
  private final ByteBuffer in;
  private long nextOffset;
  private long sent;
  private long done;
  private boolean stopping;
  private int skip;

  private NbdLoad(URI uri, String operation, int length, int depth, boolean batched)
      throws IOException {
    this.writing = operation.endsWith("write");
    this.random = operation.startsWith("rand");
    this.length = length;
    this.depth = depth;
    this.batched = batched;
    channel = SocketChannel.open(new InetSocketAddress(uri.getHost(), uri.getPort()));
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    int request = REQUEST_BYTES + (writing ? length : 0);
    out = ByteBuffer.allocateDirect(batched ? request * depth : request);
    in = ByteBuffer.allocateDirect(1 << 20);
    size = negotiate(uri.getPath().replaceFirst("^/", ""));
  }

  public static void main(String[] words) throws IOException {
    NbdLoad load =
        new NbdLoad(
            URI.create(words[0]),
            words[2],
            Integer.parseInt(words[3]),
            Integer.parseInt(words[4]),
            words[6].equals("batched"));
    load.fill();
    String result = new Measurement(words[1], Double.parseDouble(words[5])).of(load);
    load.finish();
    System.out.println(result);
  }

  /** Takes the answers that are due and says good-bye: some servers do not bear less. */
  private void finish() throws IOException {
    stopping = true;
    while (done < sent) {
      receiveSome();
    }
    out.putInt(0x25609513).putShort((short) 0).putShort((short) 2);
    out.putLong(0).putLong(0).putInt(0);
    flush();
    channel.close();
  }

  private void fill() throws IOException {
    for (int i = 0; i < depth; i++) {
      request();
    }
    flush();
  }

  @Override
  public long done() {
    return done;
  }

  @Override
  public void runUntil(long end) throws IOException {
    while (System.nanoTime() < end) {
      receiveSome();
    }
  }

  private void receiveSome() throws IOException {
    in.clear();
    if (channel.read(in) < 0) {
      throw new EOFException("the server closed the connection");
    }
    in.flip();
    consume();
    flush();
  }

  /** Takes the answers in the buffer; one that is cut is completed first. */
  private void consume() throws IOException {
    while (in.hasRemaining()) {
      if (skip > 0) {
        int part = Math.min(skip, in.remaining());
        in.position(in.position() + part);
        skip -= part;
        if (skip == 0) {
          answered();
        }
        continue;
      }
      while (in.remaining() < REPLY_BYTES) {
        in.compact();
        if (channel.read(in) < 0) {
          throw new EOFException("the server closed the connection");
        }
        in.flip();
      }
      if (in.getInt() != REPLY_MAGIC || in.getInt() != 0) {
        throw new IOException("the server answered with an error");
      }
      in.getLong();
      skip = writing ? 0 : length;
      if (skip == 0) {
        answered();
      }
    }
  }

  private void answered() throws IOException {
    done++;
    if (stopping) {
      return;
    }
    request();
    if (!batched) {
      flush();
    }
  }

  private void request() throws IOException {
    sent++;
    if (out.remaining() < REQUEST_BYTES + (writing ? length : 0)) {
      flush();
    }
    out.putInt(0x25609513).putShort((short) 0).putShort((short) (writing ? 1 : 0));
    out.putLong(done).putLong(offset()).putInt(length);
    if (writing) {
      out.position(out.position() + length);
    }
  }

  private long offset() {
    if (random) {
      return offsets.nextLong(size / length) * length;
    }
    long offset = nextOffset;
    nextOffset = offset + 2L * length > size ? 0 : offset + length;
    return offset;
  }

  private void flush() throws IOException {
    out.flip();
    while (out.hasRemaining()) {
      channel.write(out);
    }
    out.clear();
  }

  private long negotiate(String export) throws IOException {
    receive(18);
    byte[] name = export.getBytes(StandardCharsets.UTF_8);
    ByteBuffer go = ByteBuffer.allocate(4 + 16 + 6 + name.length);
    go.putInt(3).putLong(0x49484156454F5054L).putInt(7).putInt(6 + name.length);
    go.putInt(name.length).put(name).putShort((short) 0).flip();
    channel.write(go);
    long found = 0;
    while (true) {
      ByteBuffer header = receive(20);
      int type = header.getInt(12);
      ByteBuffer payload = receive(header.getInt(16));
      if (type == 1) {
        return found;
      }
      if (type != 3) {
        throw new IOException("the server refuses the export " + export);
      }
      if (payload.getShort(0) == 0) {
        found = payload.getLong(2);
      }
    }
  }

  private ByteBuffer receive(int bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(bytes);
    while (buffer.hasRemaining()) {
      if (channel.read(buffer) < 0) {
        throw new EOFException("the server closed the connection");
      }
    }
    return buffer.flip();
  }
}
