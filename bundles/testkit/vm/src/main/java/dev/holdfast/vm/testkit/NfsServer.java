package dev.holdfast.vm.testkit;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostProgram;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * NFS-Ganesha on this machine for clients in its virtual machines: a real server that tests kill,
 * freeze, restart and serve with other content. Needs root. For one thread.
 */
public final class NfsServer implements AutoCloseable {
  private static final String MACHINES_SEE = "10.0.2.2";
  private static final Duration START = Duration.ofSeconds(60);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final String READY = "NFS SERVER INITIALIZED";

  private final Path work;
  private final String name;
  private final int port;
  private final Process bus;
  private Process server;
  private int starts;

  private NfsServer(Path work, String name, int port, Process bus) {
    this.work = work;
    this.name = name;
    this.port = port;
    this.bus = bus;
  }

  /**
   * Serves a folder.
   *
   * @param work an empty folder for the server's files
   * @param folder folder to export; its filesystem must support file handles
   * @param name of the export, without a slash
   * @throws StorageException UNSUPPORTED when a program is absent; IO with the server's log when it
   *     does not start
   */
  public static NfsServer start(Path work, Path folder, String name) throws StorageException {
    try {
      Path configuration = work.resolve("bus.conf");
      Files.writeString(configuration, bus(work.resolve("bus")));
      Process bus =
          run(
              work.resolve("bus.log"),
              List.of(
                  HostProgram.require("dbus-daemon", "dbus-daemon").toString(),
                  "--config-file=" + configuration,
                  "--nofork"));
      NfsServer server = new NfsServer(work, name, freePort(), bus);
      server.await("bus", () -> Files.exists(work.resolve("bus")));
      server.serve(folder);
      return server;
    } catch (IOException e) {
      throw StorageException.io(work.toString(), e);
    }
  }

  private static String bus(Path socket) {
    return "<busconfig><type>session</type><listen>unix:path="
        + socket
        + "</listen><auth>EXTERNAL</auth><policy context=\"default\"><allow user=\"*\"/>"
        + "<allow own=\"*\"/><allow send_destination=\"*\"/><allow receive_sender=\"*\"/>"
        + "</policy></busconfig>\n";
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static Process run(Path log, List<String> command) throws IOException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start();
  }

  /** Returns the address of the export for clients in a virtual machine. */
  public String endpoint() {
    return "nfs://" + MACHINES_SEE + ":" + port + "/" + name;
  }

  /**
   * Starts the stopped server at the same address; clients continue.
   *
   * @param folder folder to export; a different folder makes the handles of clients stale
   * @throws StorageException IO with the server's log
   */
  public void serve(Path folder) throws StorageException {
    starts++;
    Path log = work.resolve("ganesha-" + starts + ".log");
    Path configuration = work.resolve("ganesha-" + starts + ".conf");
    try {
      Files.createDirectories(work.resolve("recovery-" + starts));
      Files.writeString(configuration, configuration(folder));
      ProcessBuilder builder =
          new ProcessBuilder(
                  HostProgram.require("ganesha.nfsd", "nfs-ganesha").toString(),
                  "-F",
                  "-f",
                  configuration.toString(),
                  "-L",
                  log.toString(),
                  "-p",
                  work.resolve("ganesha-" + starts + ".pid").toString())
              .redirectErrorStream(true)
              .redirectOutput(work.resolve("ganesha.out").toFile());
      builder.environment().put("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=" + work.resolve("bus"));
      server = builder.start();
      await("server", () -> Files.exists(log) && Files.readString(log).contains(READY));
    } catch (IOException e) {
      throw StorageException.io(work.toString(), e);
    }
  }

  private String configuration(Path folder) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "NFS_CORE_PARAM { Protocols = 4; NFS_Port = "
            + port
            + "; Bind_Addr = 127.0.0.1; Clustered = false; Enable_UDP = false;"
            + " Enable_NLM = false; Enable_RQUOTA = false; }");
    lines.add(
        "NFSv4 { Minor_Versions = 0, 1, 2; Lease_Lifetime = 10; Grace_Period = 10;"
            + " RecoveryBackend = fs; RecoveryRoot = \""
            + work.resolve("recovery-" + starts)
            + "\"; RecoveryDir = \"v4recov\"; Only_Numeric_Owners = true;"
            + " Allow_Numeric_Owners = true; }");
    lines.add("NFS_KRB5 { Active_krb5 = false; CCacheDir = \"" + work.resolve("krb5") + "\"; }");
    lines.add("LOG { Default_Log_Level = EVENT; }");
    lines.add(
        "EXPORT { Export_Id = 1; Path = \""
            + folder
            + "\"; Pseudo = \"/"
            + name
            + "\"; Access_Type = RW; Squash = None; Protocols = 4; Transports = TCP;"
            + " SecType = sys; FSAL { Name = VFS; } }");
    return String.join("\n", lines) + "\n";
  }

  @FunctionalInterface
  private interface Question {
    boolean isYes() throws IOException;
  }

  private void await(String what, Question question) throws StorageException, IOException {
    long end = System.nanoTime() + START.toNanos();
    while (!question.isYes()) {
      boolean ended = server != null && !server.isAlive();
      if (ended || System.nanoTime() - end >= 0) {
        throw new StorageException(
            ErrorCode.IO, "nfs " + what + ": did not start: see the logs in " + work);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** Kills the server like a crash, and waits for its end, after which its port is closed. */
  public void kill() {
    server.destroyForcibly();
    awaitEnd(server);
  }

  /** Stops the server like a hang: its port stays open, but requests are not answered. */
  public void freeze() throws StorageException {
    signal("-STOP");
  }

  /** Resumes a frozen server. */
  public void thaw() throws StorageException {
    signal("-CONT");
  }

  private void signal(String option) throws StorageException {
    try {
      awaitEnd(new ProcessBuilder("kill", option, Long.toString(server.pid())).inheritIO().start());
    } catch (IOException e) {
      throw StorageException.io("kill", e);
    }
  }

  private static void awaitEnd(Process process) {
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    kill();
    bus.destroyForcibly();
    awaitEnd(bus);
  }
}
