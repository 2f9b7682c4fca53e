package dev.holdfast.imagesource.download.internal;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server on loopback that answers each request with bytes of the test's choice. */
final class ScriptedServer implements AutoCloseable {
  private final ServerSocket listener;
  private final Script script;
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final Thread thread;

  /** Answers one request; the connection ends afterwards. */
  interface Script {
    void answer(String request, OutputStream out) throws IOException;
  }

  ScriptedServer(Script script) throws IOException {
    this.script = script;
    this.listener = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
    this.thread = new Thread(this::serve, "scripted-server");
    thread.start();
  }

  int port() {
    return listener.getLocalPort();
  }

  /** Returns the heads of the requests so far. */
  List<String> requests() {
    return List.copyOf(requests);
  }

  private void serve() {
    while (!listener.isClosed()) {
      try (Socket socket = listener.accept()) {
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
        StringBuilder head = new StringBuilder();
        for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
          head.append(line).append('\n');
        }
        requests.add(head.toString());
        script.answer(head.toString(), socket.getOutputStream());
        socket.shutdownOutput();
        // A reset would take bytes from the client that it has not read.
        socket.getInputStream().transferTo(OutputStream.nullOutputStream());
      } catch (SocketException e) {
        // The client ended the connection, or the test is over.
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    thread.interrupt();
  }
}
