package dev.holdfast.engine.testkit;

import dev.holdfast.nbd.Wire;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Serves the exports of one toy process by NBD: one option, simple replies. */
final class ToyNbdServer implements AutoCloseable {
  private final ToyProcess process;
  private final ServerSocket listener;

  ToyNbdServer(ToyProcess process) throws IOException {
    this.process = process;
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  URI endpoint(String export) {
    return URI.create("nbd://127.0.0.1:" + listener.getLocalPort() + "/" + export);
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "toy-nbd");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Client client = new Client(listener.accept());
        start(client::serve);
      } catch (IOException e) {
        return; // closed
      }
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }

  /** One connection of a host. */
  final class Client {
    private final Socket socket;

    Client(Socket socket) {
      this.socket = socket;
    }

    void disconnect() {
      try {
        socket.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void serve() {
      try (socket) {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        requests(greet(in, out), in, out);
      } catch (IOException e) {
        return; // the host or the export is gone
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private ToyProcess.Export greet(DataInputStream in, DataOutputStream out) throws IOException {
      out.writeLong(Wire.INIT_MAGIC);
      out.writeLong(Wire.OPTION_MAGIC);
      out.writeShort(Wire.HANDSHAKE_FIXED_NEWSTYLE | Wire.HANDSHAKE_NO_ZEROES);
      in.readInt();
      in.readLong();
      int option = in.readInt();
      in.readInt();
      byte[] name = in.readNBytes(in.readInt());
      in.readShort();
      ToyProcess.Export export = process.find(new String(name, StandardCharsets.UTF_8));
      if (!export.join(this)) {
        reply(out, option, Wire.REP_ERR_POLICY, new byte[0]);
        throw new IOException("the host is not admitted");
      }
      ByteBuffer info = ByteBuffer.allocate(12).putShort((short) Wire.INFO_EXPORT);
      info.putLong(process.bytes.length).putShort((short) Wire.FLAG_HAS_FLAGS);
      reply(out, option, Wire.REP_INFO, info.array());
      reply(out, option, Wire.REP_ACK, new byte[0]);
      return export;
    }

    private static void reply(DataOutputStream out, int option, int kind, byte[] data)
        throws IOException {
      out.writeLong(Wire.OPTION_REPLY_MAGIC);
      out.writeInt(option);
      out.writeInt(kind);
      out.writeInt(data.length);
      out.write(data);
    }

    private static void requests(ToyProcess.Export export, DataInputStream in, DataOutputStream out)
        throws IOException, InterruptedException {
      while (true) {
        in.readInt();
        in.readShort();
        int command = in.readShort();
        long cookie = in.readLong();
        long offset = in.readLong();
        int length = in.readInt();
        byte[] payload = in.readNBytes(command == Wire.CMD_WRITE ? length : 0);
        byte[] content = export.request(command, offset, payload, length);
        out.writeInt(Wire.SIMPLE_REPLY_MAGIC);
        out.writeInt(content == null ? Wire.EIO : 0);
        out.writeLong(cookie);
        if (content != null) {
          out.write(content);
        }
      }
    }
  }
}
