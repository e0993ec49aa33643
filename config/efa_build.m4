# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# What configure.ac asks of the machine.

# EFA_MISSING(WHAT, WHY, REMEDY): the one error configure ends with.
AC_DEFUN([EFA_MISSING],
[AC_MSG_ERROR([$1 is missing: $2
  remedy: m4_default([$3], [build on a machine that has it])])])

# EFA_TRY_CFLAG(VARIABLE, FLAG): appends FLAG when the compiler takes it.
AC_DEFUN([EFA_TRY_CFLAG],
[efa_saved_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS -Werror $2"
AC_MSG_CHECKING([whether $CC takes $2])
AC_COMPILE_IFELSE([AC_LANG_PROGRAM()],
	[AC_MSG_RESULT([yes]); $1="$$1 $2"], [AC_MSG_RESULT([no])])
CFLAGS=$efa_saved_CFLAGS])

# An operations table fixes the parameters of a function, whether it needs
# them or not; hence no warning about unused ones.
AC_DEFUN([EFA_WARNINGS],
[AC_ARG_ENABLE([werror],
	[AS_HELP_STRING([--enable-werror], [stop at a warning])],
	[], [enable_werror=no])
WARNING_CFLAGS="-Wall -Wextra -Wno-unused-parameter"
EFA_TRY_CFLAG([WARNING_CFLAGS], [-Wmissing-prototypes])
EFA_TRY_CFLAG([WARNING_CFLAGS], [-Wstrict-prototypes])
EFA_TRY_CFLAG([WARNING_CFLAGS], [-Wold-style-definition])
EFA_TRY_CFLAG([WARNING_CFLAGS], [-Wpointer-arith])
EFA_TRY_CFLAG([WARNING_CFLAGS], [-Wwrite-strings])
EFA_TRY_CFLAG([WARNING_CFLAGS], [-Wvla])
AS_IF([test "x$enable_werror" = xyes],
	[WARNING_CFLAGS="$WARNING_CFLAGS -Werror"])
AC_SUBST([WARNING_CFLAGS])])

AC_DEFUN([EFA_SANITIZE],
[AC_ARG_ENABLE([sanitize],
	[AS_HELP_STRING([--enable-sanitize=LIST],
		[sanitizers to build with: address,undefined or thread])],
	[], [enable_sanitize=no])
AS_CASE([$enable_sanitize],
	[no], [SANITIZE_CFLAGS=],
	[yes], [SANITIZE_CFLAGS="-fsanitize=address,undefined"],
	[SANITIZE_CFLAGS="-fsanitize=$enable_sanitize"])
AS_IF([test -n "$SANITIZE_CFLAGS"], [
	SANITIZE_CFLAGS="$SANITIZE_CFLAGS -fno-omit-frame-pointer"
	efa_saved_CFLAGS=$CFLAGS
	CFLAGS="$CFLAGS $SANITIZE_CFLAGS"
	AC_LINK_IFELSE([AC_LANG_PROGRAM()], [],
		[EFA_MISSING([the sanitizer run time],
			[$CC does not link with $SANITIZE_CFLAGS],
			[with clang, install its package libclang-rt-dev])])
	CFLAGS=$efa_saved_CFLAGS])
AC_SUBST([SANITIZE_CFLAGS])])

# libFuzzer comes with clang alone.  With it all code is built for coverage,
# and a fuzzer itself adds FUZZ_CFLAGS, which brings libFuzzer's main.
AC_DEFUN([EFA_FUZZ],
[AC_ARG_ENABLE([fuzz],
	[AS_HELP_STRING([--enable-fuzz], [build the fuzzers (needs clang)])],
	[], [enable_fuzz=no])
FUZZ_CFLAGS=
AS_IF([test "x$enable_fuzz" = xyes], [
	FUZZ_CFLAGS="-fsanitize=fuzzer,address,undefined"
	efa_saved_CFLAGS=$CFLAGS
	CFLAGS="$CFLAGS $FUZZ_CFLAGS"
	AC_LINK_IFELSE([AC_LANG_SOURCE([[
		#include <stddef.h>
		#include <stdint.h>
		int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
		int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
		{ return data == NULL && size; }]])], [],
		[EFA_MISSING([libFuzzer], [$CC does not link with $FUZZ_CFLAGS (package libclang-rt-dev)],
			[configure with CC=clang])])
	CFLAGS=$efa_saved_CFLAGS
	SANITIZE_CFLAGS="-fsanitize=fuzzer-no-link,address,undefined"])
AC_SUBST([FUZZ_CFLAGS])
AM_CONDITIONAL([SANITIZE], [test -n "$SANITIZE_CFLAGS"])
AM_CONDITIONAL([FUZZ], [test "x$enable_fuzz" = xyes])])

# EFA_LIBRARY_DIR(VARIABLE, DIR, FILE): the directory below DIR with FILE.
AC_DEFUN([EFA_LIBRARY_DIR],
[$1=
for efa_dir in "$2/lib" "$2/lib64" "$2/lib/$host_cpu-linux-gnu"; do
	AS_IF([test -z "$$1" && test -e "$efa_dir/$3"], [$1=$efa_dir])
done])

AC_DEFUN([EFA_LIBFABRIC],
[AC_ARG_WITH([libfabric],
	[AS_HELP_STRING([--with-libfabric=DIR],
		[libfabric 1.17 or later; without it pkg-config is asked])],
	[], [with_libfabric=yes])
AS_CASE([$with_libfabric],
	[no], [EFA_MISSING([libfabric], [this is a plugin of libfabric],
		[leave out --without-libfabric])],
	[yes], [PKG_CHECK_MODULES([LIBFABRIC], [libfabric >= 1.17],
		[libfabric_libdir=`$PKG_CONFIG --variable=libdir libfabric`
		 libfabric_origin=`$PKG_CONFIG --modversion libfabric`
		 libfabric_origin="$libfabric_origin (pkg-config)"],
		[EFA_MISSING([libfabric 1.17 or later],
			[pkg-config does not find it],
			[apt-get install libfabric-dev, or --with-libfabric=DIR])])],
	[EFA_LIBRARY_DIR([libfabric_libdir], [$with_libfabric], [libfabric.so])
	 AS_IF([test -z "$libfabric_libdir"],
		[EFA_MISSING([libfabric.so], [not below $with_libfabric/lib],
			[give --with-libfabric the prefix of an installed libfabric])])
	 LIBFABRIC_CFLAGS="-isystem $with_libfabric/include"
	 LIBFABRIC_LIBS="-L$libfabric_libdir -lfabric -Wl,-rpath,$libfabric_libdir"
	 libfabric_origin=$with_libfabric])
efa_saved_CPPFLAGS=$CPPFLAGS
CPPFLAGS="$CPPFLAGS $LIBFABRIC_CFLAGS"
AC_CHECK_DECLS([fi_domain2], [],
	[EFA_MISSING([libfabric 1.17 or later], [its headers are older],
		[apt-get install libfabric-dev, or --with-libfabric=DIR])],
	[#include <rdma/fi_domain.h>])
CPPFLAGS=$efa_saved_CPPFLAGS
AC_SUBST([LIBFABRIC_CFLAGS])
AC_SUBST([LIBFABRIC_LIBS])])

# libfabric looks for plugins in the directory libfabric beside itself.
AC_DEFUN([EFA_PROVIDER_DIR],
[AC_ARG_WITH([provider-dir],
	[AS_HELP_STRING([--with-provider-dir=DIR],
		[where libefa-fi.so goes; default: where that libfabric looks])],
	[providerdir=$with_provider_dir],
	[AS_IF([test -n "$libfabric_libdir"],
		[providerdir=$libfabric_libdir/libfabric],
		[providerdir='${libdir}/libfabric'])])
AC_SUBST([providerdir])])

# Only the headers are needed to build the plugin: it opens the libraries at
# run time.  The tests of softefa link them.
AC_DEFUN([EFA_RDMA_CORE],
[AC_ARG_WITH([rdma-core],
	[AS_HELP_STRING([--with-rdma-core=DIR],
		[rdma-core 59 or later, as contrib/rdma-core builds it;
		 without it pkg-config is asked])],
	[], [with_rdma_core=yes])
rdma_core_libdir=
RDMA_CORE_RPATH=
RDMA_CORE_BIN=
AS_CASE([$with_rdma_core],
	[no], [EFA_MISSING([rdma-core], [the plugin opens devices through it],
		[leave out --without-rdma-core])],
	[yes], [PKG_CHECK_MODULES([RDMA_CORE], [libefa libibverbs],
		[rdma_core_origin=`$PKG_CONFIG --modversion libefa`
		 rdma_core_origin="libefa $rdma_core_origin (pkg-config)"],
		[EFA_MISSING([rdma-core 59 or later],
			[pkg-config finds no libefa],
			[apt-get install libibverbs-dev, or run contrib/rdma-core and
          give --with-rdma-core the directory it prints])])],
	[EFA_LIBRARY_DIR([rdma_core_libdir], [$with_rdma_core], [libefa.so])
	 AS_IF([test -z "$rdma_core_libdir"],
		[EFA_MISSING([libefa.so], [not below $with_rdma_core/lib],
			[run contrib/rdma-core and give --with-rdma-core the
          directory it prints])])
	 RDMA_CORE_CFLAGS="-isystem $with_rdma_core/include"
	 RDMA_CORE_RPATH="-Wl,-rpath,$rdma_core_libdir -Wl,--enable-new-dtags"
	 RDMA_CORE_LIBS="-L$rdma_core_libdir -lefa -libverbs $RDMA_CORE_RPATH"
	 RDMA_CORE_BIN=$with_rdma_core/bin
	 rdma_core_origin=$with_rdma_core])
efa_saved_CPPFLAGS=$CPPFLAGS
CPPFLAGS="$CPPFLAGS $RDMA_CORE_CFLAGS"
AC_CHECK_DECLS([efadv_query_qp_wqs, efadv_query_cq], [],
	[EFA_MISSING([rdma-core 59 or later],
		[$rdma_core_origin cannot tell where a device's queues are],
		[run contrib/rdma-core and give --with-rdma-core the directory
          it prints])],
	[#include <infiniband/efadv.h>])
CPPFLAGS=$efa_saved_CPPFLAGS
AC_SUBST([RDMA_CORE_CFLAGS])
AC_SUBST([RDMA_CORE_LIBS])
AC_SUBST([RDMA_CORE_RPATH])
AC_SUBST([RDMA_CORE_LIBDIR], [$rdma_core_libdir])
AM_CONDITIONAL([RDMA_CORE_ELSEWHERE], [test -n "$rdma_core_libdir"])
AC_SUBST([RDMA_CORE_BIN])])

dnl EFA_QUICK_LIBTOOL: after LT_INIT. config/quick_libtool before libtool, for
dnl the system and the options it was written for.
AC_DEFUN([EFA_QUICK_LIBTOOL], [
AS_IF([test "x$enable_static$enable_shared$GCC" = xnoyesyes],
	[AS_CASE(["$host_os $lt_prog_compiler_pic"],
		[linux*-fPIC*],
		[LIBTOOL="\$(SHELL) \$(top_srcdir)/config/quick_libtool \$(top_builddir)/libtool"])])
])
