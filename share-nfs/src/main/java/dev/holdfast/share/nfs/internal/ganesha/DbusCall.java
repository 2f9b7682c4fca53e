package dev.holdfast.share.nfs.internal.ganesha;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Calls of methods over the private D-Bus of a share, by dbus-send(1), which comes with the daemon.
 * A daemon or a server that hangs costs the caller at most the deadline. Stateless.
 */
final class DbusCall {
  private static final String SERVICE = "org.ganesha.nfsd";

  /** Time that the program needs beside the call itself. */
  private static final Duration START = Duration.ofSeconds(2);

  private final Host host;
  private final Path socket;
  private final Duration patience;

  /**
   * Prepares calls.
   *
   * @param host on which the server runs
   * @param socket of the bus
   * @param patience how long the server may take for an answer
   */
  DbusCall(Host host, Path socket, Duration patience) {
    this.host = host;
    this.socket = socket;
    this.patience = patience;
  }

  /**
   * Calls a method and returns its answer as dbus-send prints it, one value a line.
   *
   * @param object path of the object, below {@code /org/ganesha/nfsd}
   * @param method with its interface, such as {@code org.ganesha.nfsd.admin.shutdown}
   * @param arguments with their types, such as {@code uint16:1}
   * @throws StorageException UNREACHABLE when the server does not answer; IO with its message when
   *     it refuses; UNSUPPORTED when dbus-send is not installed
   */
  List<String> call(String object, String method, String... arguments) throws StorageException {
    List<String> command = new ArrayList<>();
    command.add(host.require("dbus-send", "dbus-bin"));
    command.add("--bus=unix:path=" + socket);
    command.add("--print-reply");
    command.add("--reply-timeout=" + patience.toMillis());
    command.add("--dest=" + SERVICE);
    command.add("/org/ganesha/nfsd/" + object);
    command.add(method);
    command.addAll(List.of(arguments));
    ProgramResult result = host.run(ProgramCall.of(patience.plus(START), command));
    if (result.exitCode() != 0) {
      throw failure(method, result.all());
    }
    return result.output().lines().map(String::strip).toList();
  }

  private static StorageException failure(String method, String printed) {
    boolean answered =
        printed.contains("org.freedesktop.DBus.Error.InvalidFileContent")
            || printed.contains("org.freedesktop.DBus.Error.InvalidArgs");
    return new StorageException(
        answered ? ErrorCode.IO : ErrorCode.UNREACHABLE,
        "Ganesha: " + method + ": " + printed.replaceAll("\\s+", " ").strip());
  }
}
