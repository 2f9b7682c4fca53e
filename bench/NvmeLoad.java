import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * Load on one namespace over NVMe/TCP: one I/O queue without digests and flow control, {@code
 * DEPTH} commands under way, data of writes in their capsules.
 *
 * <p>Arguments: URI PIDS OPERATION BYTES DEPTH SECONDS SENDING, as NbdLoad has them; OPERATION is
 * randread, randwrite, or fill, which writes all of the namespace once. Prints one line:
 * operations, nanoseconds, and the CPU nanoseconds of the processes in that time.
 */
final class NvmeLoad implements Measurement.Load {
  private static final int HEADER = 8;
  private static final int COMMAND = HEADER + 64;
  private static final int ANSWER = 24;
  private static final int BLOCK = 512;
  private static final int QUEUE_ENTRIES = 128;
  private static final int ANY_CONTROLLER = 0xffff;

  private final SocketChannel channel;
  private final long size;
  private final boolean writing;
  private final boolean random;
  private final boolean batched;
  private final int length;
  private final int depth;
  private final SplittableRandom offsets = new SplittableRandom(1);
  private final ByteBuffer out;
  private final ByteBuffer in = little(1 << 20);
  private final byte[] data;
  private long nextOffset;
  private long sent;
  private long done;
  private boolean stopping;
  private int skip;
  private boolean ends;

  private NvmeLoad(SocketChannel channel, long size, String[] words) {
    this.channel = channel;
    this.size = size;
    this.writing = !words[2].equals("randread");
    this.random = words[2].startsWith("rand");
    this.length = Integer.parseInt(words[3]);
    this.depth = Integer.parseInt(words[4]);
    this.batched = words[6].equals("batched");
    int request = COMMAND + (writing ? length : 0);
    out = little(batched ? request * depth : request);
    data = new byte[length];
    new Random(1).nextBytes(data);
  }

  public static void main(String[] words) throws IOException {
    URI uri = URI.create(words[0]);
    String subsystem = uri.getPath().substring(1);
    try (SocketChannel admin = open(uri)) {
      int controller = connect(admin, 0, subsystem, ANY_CONTROLLER);
      exchange(admin, entry(0x7f, 0).putInt(44, 0x14).putInt(48, 0x460001), new byte[0]);
      long size = size(admin);
      try (SocketChannel channel = open(uri)) {
        connect(channel, 1, subsystem, controller);
        NvmeLoad load = new NvmeLoad(channel, size, words);
        if (words[2].equals("fill")) {
          load.fillAll();
        } else {
          load.measure(new Measurement(words[1], Double.parseDouble(words[5])));
        }
      }
    }
  }

  private void fillAll() throws IOException {
    start();
    while (sent * length < size) {
      receiveSome();
    }
    finish();
  }

  private void measure(Measurement measurement) throws IOException {
    start();
    String result = measurement.of(this);
    finish();
    System.out.println(result);
  }

  private void finish() throws IOException {
    stopping = true;
    while (done < sent) {
      receiveSome();
    }
  }

  private void start() throws IOException {
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
    receive();
    while (in.hasRemaining()) {
      if (skip > 0) {
        int part = Math.min(skip, in.remaining());
        in.position(in.position() + part);
        skip -= part;
        if (skip == 0 && ends) {
          answered();
        }
        continue;
      }
      while (in.remaining() < ANSWER) {
        in.compact();
        receive();
      }
      header();
    }
    flush();
  }

  private void receive() throws IOException {
    if (channel.read(in) < 0) {
      throw new EOFException("the controller closed the connection");
    }
    in.flip();
  }

  /** Data whose end is the command's, or a response. */
  private void header() throws IOException {
    int at = in.position();
    int type = in.get(at);
    if (type == 7) {
      ends = (in.get(at + 1) & 8) != 0;
      skip = in.getInt(at + 4) - ANSWER;
    } else if (type == 5 && in.getShort(at + 22) == 0) {
      answered();
    } else {
      throw new IOException("the controller answered with an error, PDU " + type);
    }
    in.position(at + ANSWER);
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
    int bytes = COMMAND + (writing ? length : 0);
    if (out.remaining() < bytes) {
      flush();
    }
    int at = out.position();
    out.put(at, (byte) 4).put(at + 1, (byte) 0).put(at + 2, (byte) COMMAND);
    out.put(at + 3, (byte) (writing ? COMMAND : 0)).putInt(at + 4, bytes);
    int entry = at + HEADER;
    out.put(entry, (byte) (writing ? 1 : 2)).put(entry + 1, (byte) 0x40);
    // Numbers come again after 65,536 commands, when the earlier ones have ended long ago.
    out.putShort(entry + 2, (short) sent++).putInt(entry + 4, 1);
    out.putLong(entry + 24, 0).putInt(entry + 32, length);
    out.put(entry + 39, (byte) (writing ? 0x01 : 0x5a));
    out.putLong(entry + 40, offset() / BLOCK).putInt(entry + 48, length / BLOCK - 1);
    out.position(at + COMMAND);
    if (writing) {
      out.put(data);
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

  private static SocketChannel open(URI uri) throws IOException {
    SocketChannel channel = SocketChannel.open(new InetSocketAddress(uri.getHost(), uri.getPort()));
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    ByteBuffer request = little(128).put(2, (byte) 128).putInt(4, 128);
    send(channel, request);
    if (take(channel, 128).get(0) != 1) {
      throw new IOException("there is no ICResp");
    }
    return channel;
  }

  /** Connects a queue without flow control; returns the controller's number. */
  private static int connect(SocketChannel channel, int queue, String subsystem, int controller)
      throws IOException {
    ByteBuffer connect = little(1024);
    connect.putLong(0, ProcessHandle.current().pid()).putShort(16, (short) controller);
    connect.put(256, subsystem.getBytes(StandardCharsets.UTF_8));
    connect.put(512, "nqn.2026-11.test:load".getBytes(StandardCharsets.UTF_8));
    byte[] bytes = new byte[connect.capacity()];
    connect.get(0, bytes);
    ByteBuffer entry = entry(0x7f, 1).putInt(40, queue << 16);
    entry.putInt(44, (queue == 0 ? 31 : QUEUE_ENTRIES - 1) | 1 << 18);
    return exchange(channel, entry, bytes).getInt(8) & 0xffff;
  }

  /** Identifies the namespace. */
  private static long size(SocketChannel admin) throws IOException {
    ByteBuffer entry = entry(6, 1).putInt(32, 4096).put(39, (byte) 0x5a);
    send(admin, capsule(entry, new byte[0]));
    ByteBuffer first = take(admin, ANSWER);
    if (first.get(0) != 7) {
      throw new IOException("the namespace was not identified");
    }
    long blocks = take(admin, 4096).getLong(0);
    if ((first.get(1) & 8) == 0) {
      take(admin, ANSWER);
    }
    return blocks * BLOCK;
  }

  private static ByteBuffer entry(int opcode, int namespaceOrType) {
    return little(64).put(0, (byte) opcode).put(1, (byte) 0x40).putInt(4, namespaceOrType);
  }

  private static ByteBuffer exchange(SocketChannel channel, ByteBuffer entry, byte[] data)
      throws IOException {
    entry.putInt(32, data.length).put(39, (byte) 0x01);
    send(channel, capsule(entry, data));
    ByteBuffer answer = take(channel, ANSWER);
    if (answer.get(0) != 5 || answer.getShort(22) != 0) {
      throw new IOException("refused with status " + (answer.getShort(22) >> 1));
    }
    return answer;
  }

  private static ByteBuffer capsule(ByteBuffer entry, byte[] data) {
    ByteBuffer pdu = little(COMMAND + data.length);
    pdu.put(0, (byte) 4).put(2, (byte) COMMAND);
    pdu.put(3, (byte) (data.length > 0 ? COMMAND : 0)).putInt(4, pdu.capacity());
    return pdu.put(HEADER, entry, 0, 64).put(COMMAND, data);
  }

  private static void send(SocketChannel channel, ByteBuffer bytes) throws IOException {
    bytes.clear();
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  private static ByteBuffer take(SocketChannel channel, int bytes) throws IOException {
    ByteBuffer buffer = little(bytes);
    while (buffer.hasRemaining()) {
      if (channel.read(buffer) < 0) {
        throw new EOFException("the controller closed the connection");
      }
    }
    return buffer.flip();
  }

  private static ByteBuffer little(int size) {
    return ByteBuffer.allocateDirect(size).order(ByteOrder.LITTLE_ENDIAN);
  }
}
