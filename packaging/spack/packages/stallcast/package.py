from spack.package import *


class Stallcast(CMakePackage):
    """Forecasts how long the GPUs of a training cluster wait for storage, and how much storage it takes
    for them not to."""

    # spack repo add packaging/spack; spack develop --path . stallcast@main; spack install stallcast
    # The address of your copy of the project.
    git = "https://git.example/stallcast.git"

    license("Apache-2.0")

    version("main", branch="main")
    version("1.0.0-rc2", tag="v1.0.0-rc2")
    version("1.0.0-rc1", tag="v1.0.0-rc1")

    variant("explorer", default=False, description="the desktop explorer, with Qt 6")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("simgrid@3.32")
    depends_on("boost@1.74:")
    depends_on("eigen@3.4:")
    depends_on("nlohmann-json@3.11:")
    depends_on("cli11")
    depends_on("yaml-cpp")
    depends_on("openssl")
    depends_on("sqlite@3.38:")
    depends_on("zlib-api")
    depends_on("liburing")
    depends_on("cpp-httplib")
    depends_on("qt-base@6.4:", when="+explorer")
    depends_on("qt-charts@6.4:", when="+explorer")
    depends_on("qt-svg@6.4:", when="+explorer")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("STALLCAST_TESTS", False),
            self.define("STALLCAST_DESKTOP", "on" if self.spec.satisfies("+explorer") else "off"),
        ]
