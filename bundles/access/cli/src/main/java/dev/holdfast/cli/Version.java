package dev.holdfast.cli;

import picocli.CommandLine.IVersionProvider;

/** The version that the build wrote into this program's manifest. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    String built = Version.class.getPackage().getImplementationVersion();
    return new String[] {"holdfast " + (built == null ? "(not packaged)" : built)};
  }
}
