package dev.holdfast.host;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A Linux host on which programs run: this host or, in tests, a virtual machine. Paths, devices and
 * process numbers are those of that host. Thread-safe.
 */
@ProviderType
public interface Host {
  /**
   * Returns the path of a program, in PATH or in a system folder, which a user's PATH often lacks.
   *
   * @param program its name, without a folder
   * @throws StorageException UNREACHABLE when the host does not answer
   */
  Optional<Path> find(String program) throws StorageException;

  /**
   * Runs a program and waits for its end.
   *
   * @param call the program, its input and its limits
   * @return its result with any exit code
   * @throws StorageException TIMEOUT when it did not end in time and was killed, or when
   *     interrupted; IO when it cannot be started; UNREACHABLE when the host does not answer: it is
   *     unknown then whether the program ran
   */
  ProgramResult run(ProgramCall call) throws StorageException;

  /**
   * Starts a program whose input and output the caller uses. Its error output is discarded. The
   * program should end when its input ends, because its input ends when this process dies.
   *
   * @param command absolute path of the program, then its arguments
   * @throws StorageException IO when it cannot be started; UNREACHABLE
   */
  HostProcess start(List<String> command) throws StorageException;

  /** Returns the files and devices of the host. */
  HostFiles files();

  /**
   * Returns the path of a program that must be installed.
   *
   * @param program name of the program
   * @param debianPackage package that contains it
   * @throws StorageException UNSUPPORTED naming the package; UNREACHABLE
   */
  default String require(String program, String debianPackage) throws StorageException {
    return find(program)
        .map(Path::toString)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.UNSUPPORTED,
                    program + " is not installed: apt-get install " + debianPackage));
  }

  /**
   * Runs a program that must succeed.
   *
   * @return its output without white space at the ends
   * @throws StorageException as {@link #run}; IO with its output when it fails, or when it printed
   *     more than the call permits
   */
  default String check(ProgramCall call) throws StorageException {
    ProgramResult result = run(call);
    if (result.exitCode() != 0) {
      throw new StorageException(
          ErrorCode.IO,
          call.program()
              + " failed with exit code "
              + result.exitCode()
              + ": "
              + result.lastLines());
    }
    if (result.truncated()) {
      throw new StorageException(
          ErrorCode.IO, call.program() + " printed more than " + call.outputBytes() + " bytes");
    }
    return result.output();
  }
}
