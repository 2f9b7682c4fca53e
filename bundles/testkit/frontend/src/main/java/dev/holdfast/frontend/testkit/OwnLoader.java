package dev.holdfast.frontend.testkit;

import dev.holdfast.frontend.FrontendProvider;
import java.net.URL;
import java.net.URLClassLoader;

/** Loads a second copy of a frontend's classes, like the bundle of another version. */
final class OwnLoader extends URLClassLoader {
  private OwnLoader(URL place, ClassLoader parent) {
    super(new URL[] {place}, parent);
  }

  /**
   * Returns a frontend of the same code from its own class loader.
   *
   * @throws ReflectiveOperationException when it has no public constructor without parameters
   */
  static FrontendProvider copy(Class<? extends FrontendProvider> type)
      throws ReflectiveOperationException {
    URL place = type.getProtectionDomain().getCodeSource().getLocation();
    ClassLoader loader = new OwnLoader(place, type.getClassLoader());
    return (FrontendProvider) loader.loadClass(type.getName()).getConstructor().newInstance();
  }

  /** Prefers its own classes. */
  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded != null) {
        return loaded;
      }
      try {
        return findClass(name);
      } catch (ClassNotFoundException e) {
        return super.loadClass(name, resolve);
      }
    }
  }
}
